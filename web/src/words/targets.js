// The purposes of the formats, by their ids, in English, German, Russian and Spanish. The object is strict JSON: a
// test of chessdb-web compares it with the formats that are written.
/** @type {Record<string, (string | Record<string, string>)[]>} */
export const TARGETS = {
  "target.html": ["A page to read and print: one file with boards and moves, for every browser", "Eine Seite zum Lesen und Drucken: eine Datei mit Brettern und Zügen, für jeden Browser", "Страница для чтения и печати: один файл с досками и ходами для любого браузера", "Una página para leer e imprimir: un solo archivo con tableros y jugadas, para cualquier navegador"],
  "target.group.pgn": ["For every program", "Für jedes Programm", "Для любой программы", "Para cualquier programa"],
  "target.group.chessbase": ["ChessBase", "ChessBase", "ChessBase", "ChessBase"],
  "target.group.scid": ["Scid", "Scid", "Scid", "Scid"],
  "target.group.more": ["More formats", "Weitere Formate", "Другие форматы", "Más formatos"],
  "target.ca": ["For Chess Assistant and Chess Assistant Light.", "Für Chess Assistant und Chess Assistant Light.", "Для Chess Assistant и Chess Assistant Light.", "Para Chess Assistant y Chess Assistant Light."],
  "target.cbf": ["For ChessBase under DOS and Windows 3, before 1997.", "Für ChessBase unter DOS und Windows 3, vor 1997.", "Для ChessBase под DOS и Windows 3, до 1997 года.", "Para ChessBase en DOS y Windows 3, antes de 1997."],
  "target.cbh": ["For ChessBase and Fritz, since 1997.", "Für ChessBase und Fritz, seit 1997.", "Для ChessBase и Fritz, с 1997 года.", "Para ChessBase y Fritz, desde 1997."],
  "target.dcx": ["For pgn2dcg and the versions of Jerry from 2017 and 2018.", "Für pgn2dcg und Jerry von 2017 und 2018.", "Для pgn2dcg и Jerry 2017–2018 годов.", "Para pgn2dcg y Jerry de 2017 y 2018."],
  "target.encroissant": ["For En Croissant, version 0.15 and newer.", "Für En Croissant ab Version 0.15.", "Для En Croissant версии 0.15 и новее.", "Para En Croissant 0.15 y posteriores."],
  "target.fbk": ["An opening book for ChessBase under DOS: all games in one tree.", "Ein Eröffnungsbuch für ChessBase unter DOS: alle Partien in einem Baum.", "Дебютная книга для ChessBase под DOS: все партии в одном дереве.", "Un libro de aperturas para ChessBase en DOS: todas las partidas en un árbol."],
  "target.jose": ["For the program jose, in one file of SQLite.", "Für das Programm jose, in einer SQLite-Datei.", "Для программы jose, одним файлом SQLite.", "Para el programa jose, en un archivo SQLite."],
  "target.jose-sql": ["For the program jose, to be imported into its database.", "Für das Programm jose, zum Einlesen in seine Datenbank.", "Для программы jose, для загрузки в её базу.", "Para el programa jose, para importar en su base."],
  "target.lucaschess": ["For Lucas Chess R and its successors.", "Für Lucas Chess R und Nachfolger.", "Для Lucas Chess R и новее.", "Para Lucas Chess R y posteriores."],
  "target.ocgdb": ["For programs that read OCGDB, data structure 0.6.", "Für Programme, die OCGDB lesen, Datenstruktur 0.6.", "Для программ, читающих OCGDB, структура данных 0.6.", "Para programas que leen OCGDB, estructura de datos 0.6."],
  "target.parquet": ["A table for statistics with DuckDB, pandas and the like.", "Eine Tabelle für Statistik mit DuckDB, pandas und anderen.", "Таблица для статистики в DuckDB, pandas и подобных.", "Una tabla para estadísticas con DuckDB, pandas y otros."],
  "target.pgn": ["Text that every chess program, website and app reads.", "Text, den jedes Schachprogramm, jede Website und App liest.", "Текст, который читает любая шахматная программа, сайт и приложение.", "Texto que lee cualquier programa, web o app de ajedrez."],
  "target.scidb": ["For the program Scidb (not Scid).", "Für das Programm Scidb (nicht Scid).", "Для программы Scidb (не Scid).", "Para el programa Scidb (no Scid)."],
  "target.si3": ["For old versions of Scid, before 2010.", "Für alte Fassungen von Scid, vor 2010.", "Для старых версий Scid, до 2010 года.", "Para versiones antiguas de Scid, antes de 2010."],
  "target.si4": ["For Scid, Scid vs. PC and ChessX.", "Für Scid, Scid vs. PC und ChessX.", "Для Scid, Scid vs. PC и ChessX.", "Para Scid, Scid vs. PC y ChessX."],
  "target.si5": ["For Scid 5 and newer.", "Für Scid ab Version 5.", "Для Scid 5 и новее.", "Para Scid 5 y posteriores."]
};
