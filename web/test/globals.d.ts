// Functions of a page that the tests use and the types of the browser lack.

declare const axe: { run(context: Document | Element, options: object): Promise<{ violations: { id: string; impact: string; nodes: { target: string[]; html: string }[] }[] }> };
interface Window { evil?: unknown }
interface Performance { memory?: { usedJSHeapSize: number } }
interface ParentNode { querySelector(selectors: string): any }
declare var showOpenFilePicker: ((options: any) => Promise<FileSystemHandle[]>) | undefined;
declare var showSaveFilePicker: ((options: any) => Promise<unknown>) | undefined;
declare var suggested: string;
declare var permission: string | undefined;
declare var release: () => void;
