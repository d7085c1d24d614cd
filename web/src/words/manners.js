// Words about this page, about remembering files, and about where a saved file went, in English, German, Russian
// and Spanish.
/** @type {Record<string, (string | Record<string, string>)[]>} */
export const MANNERS = {
  "about.version": ["Version {v}", "Version {v}", "Версия {v}", "Versión {v}"],
  "about.free": ["Free software: you may use, copy, change and pass it on.", "Freie Software: Sie dürfen sie benutzen, kopieren, ändern und weitergeben.", "Свободная программа: её можно использовать, копировать, менять и передавать.", "Software libre: puede usarlo, copiarlo, cambiarlo y compartirlo."],
  "about.licence": ["Licence", "Lizenz", "Лицензия", "Licencia"],
  "about.source": ["Source code", "Quelltext", "Исходный код", "Código fuente"],
  "about.sourceHere": ["Where you got this page from", "Dort, woher Sie diese Seite haben", "Там же, где вы взяли эту страницу", "Donde obtuvo esta página"],
  "about.libraries": ["Libraries in it, with their licences", "Enthaltene Bibliotheken mit ihren Lizenzen", "Библиотеки внутри и их лицензии", "Bibliotecas incluidas y sus licencias"],
  "about.device": ["On this device", "Auf diesem Gerät", "На этом устройстве", "En este dispositivo"],
  "about.nothing": ["Nothing is remembered.", "Nichts ist gemerkt.", "Ничего не запомнено.", "No se recuerda nada."],
  "about.nodevice": ["This browser cannot remember files.", "Dieser Browser kann sich keine Dateien merken.", "Этот браузер не умеет запоминать файлы.", "Este navegador no puede recordar archivos."],
  "about.remembered": ["Where these files are: {f}", "Wo diese Dateien liegen: {f}", "Где лежат файлы: {f}", "Dónde están estos archivos: {f}"],

  "keep.ask": ["Remember on this device where these files are?", "Auf diesem Gerät merken, wo diese Dateien liegen?", "Запомнить на этом устройстве, где эти файлы?", "¿Recordar en este dispositivo dónde están estos archivos?"],
  "keep.why": ["Then one click opens them again. The games themselves are not stored.", "Dann genügt ein Klick, um sie wieder zu öffnen. Die Partien selbst werden nicht gespeichert.", "Тогда их можно открыть одним нажатием. Сами партии не сохраняются.", "Así se abren de nuevo con un clic. Las partidas no se guardan."],
  "keep.yes": ["Remember", "Merken", "Запомнить", "Recordar"],
  "keep.no": ["No", "Nein", "Нет", "No"],
  "keep.done": ["Remembered. You can forget it under “About this page”.", "Gemerkt. Vergessen lässt es sich unter „Über diese Seite“.", "Запомнено. Забыть можно в «Об этой странице».", "Recordado. Puede olvidarlo en «Sobre esta página»."],
  "keep.failed": ["This browser does not allow it.", "Dieser Browser lässt es nicht zu.", "Браузер этого не позволяет.", "Este navegador no lo permite."],
  "keep.forget": ["Forget", "Vergessen", "Забыть", "Olvidar"],
  "keep.forgotten": ["Forgotten.", "Vergessen.", "Забыто.", "Olvidado."],

  "again.title": ["Open until now: {f}", "Bis eben offen: {f}", "Было открыто: {f}", "Estaba abierto: {f}"],
  "again.last": ["Last time: {f}", "Beim letzten Mal: {f}", "В прошлый раз: {f}", "La última vez: {f}"],
  "again.open": ["Open again", "Wieder öffnen", "Открыть снова", "Abrir de nuevo"],
  "again.choose": ["Please choose these files again: the browser gives them to the page only after your choice.", "Bitte wählen Sie diese Dateien noch einmal: Der Browser gibt sie der Seite nur, wenn Sie sie wählen.", "Выберите эти файлы ещё раз: браузер отдаёт их странице только после вашего выбора.", "Elija de nuevo estos archivos: el navegador solo los da a la página si usted los elige."],
  "again.denied": ["The browser did not give access to the files. Please choose them again.", "Der Browser hat den Zugriff nicht erlaubt. Bitte wählen Sie die Dateien noch einmal.", "Браузер не дал доступа к файлам. Выберите их ещё раз.", "El navegador no dio acceso a los archivos. Elíjalos de nuevo."],
  "again.more": [{"one": "and {n} more", "other": "and {n} more"}, {"one": "und {n} weitere", "other": "und {n} weitere"}, {"one": "и ещё {n}", "few": "и ещё {n}", "many": "и ещё {n}", "other": "и ещё {n}"}, {"one": "y {n} más", "many": "y {n} más", "other": "y {n} más"}],

  "where.download": ["You find it in the downloads folder of your browser.", "Sie finden die Datei im Download-Ordner Ihres Browsers.", "Файл — в папке загрузок вашего браузера.", "Está en la carpeta de descargas de su navegador."],
  "where.chosen": ["It is in the file that you chose.", "Sie liegt in der Datei, die Sie gewählt haben.", "Данные в файле, который вы выбрали.", "Está en el archivo que usted eligió."],
  "where.choose": ["Choose a place…", "Ort wählen…", "Выбрать место…", "Elegir lugar…"],
  "where.same": ["Save again to “{f}”", "Wieder in „{f}“ speichern", "Снова в «{f}»", "Guardar de nuevo en «{f}»"],
  "where.failed": ["“{f}” could not be written: {t}", "„{f}“ ließ sich nicht schreiben: {t}", "Не удалось записать «{f}»: {t}", "No se pudo escribir «{f}»: {t}"],
  "name.position": ["position", "Stellung", "позиция", "posición"],
  "bad.nofile": ["That did not work.", "Das hat nicht geklappt.", "Не получилось.", "Eso no funcionó."]
};
