// The engine that `chessdb view --engine` starts: the program gives it positions and passes on its lines.

import { errorText } from './failure.js';
import { pageNumber } from './remote.js';
import { readInfo } from './uci.js';

/** @import { ChessEngine, EngineHearer, EngineQuestion } from './types.d.ts' */

/** Like `makeWorkerEngine`; `lacking()` is called if the program was started without an engine.
 * @param {EngineHearer & { lacking: () => void }} hearer
 * @returns {ChessEngine} */
export function makeProgramEngine({ told, named, failed, lacking }) {
  /** @type {AbortController | null} */
  let current = null;

  /** @param {EngineQuestion} position */
  async function think(position) {
    rest();
    const mine = (current = new AbortController());
    try {
      const answer = await fetch('analyse?' + pageNumber(), { method: 'POST', body: JSON.stringify(position), signal: mine.signal });
      if (answer.status === 404) return lacking();
      const reader = /** @type {ReadableStream<BufferSource>} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (mine !== current) return;
        if (done) break;
        const lines = (text + value).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) {
          if (line.startsWith('id name ')) named(line.slice(8));
          else if (line.startsWith('error ')) return failed(line.slice(6));
          const info = readInfo(line);
          if (info) told(info, position);
        }
      }
    } catch (error) {
      if (mine === current) failed(errorText(error));
    }
  }

  function rest() {
    current?.abort();
    current = null;
  }

  return { think, rest, close: rest };
}
