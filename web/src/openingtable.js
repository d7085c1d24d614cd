// Names of openings and of their parts: English, German, Russian, Spanish. An empty one is made from its parts, or
// stays English.

/** The openings that have a name of their own in other languages. */
export const OPENINGS = `
Sicilian Defense|Sizilianische Verteidigung|Сицилианская защита|Defensa siciliana
Ruy Lopez|Spanische Partie|Испанская партия|Apertura española
French Defense|Französische Verteidigung|Французская защита|Defensa francesa
Queen's Gambit|Damengambit|Ферзевый гамбит|Gambito de dama
Queen's Gambit Accepted|Angenommenes Damengambit|Принятый ферзевый гамбит|Gambito de dama aceptado
Queen's Gambit Declined|Abgelehntes Damengambit|Отказанный ферзевый гамбит|Gambito de dama rehusado
Italian Game|Italienische Partie|Итальянская партия|Apertura italiana
English Opening|Englische Eröffnung|Английское начало|Apertura inglesa
King's Gambit|Königsgambit|Королевский гамбит|Gambito de rey
King's Gambit Accepted|Angenommenes Königsgambit|Принятый королевский гамбит|Gambito de rey aceptado
King's Gambit Declined|Abgelehntes Königsgambit|Отказанный королевский гамбит|Gambito de rey rehusado
King's Indian Defense|Königsindische Verteidigung|Староиндийская защита|Defensa india de rey
King's Indian Attack|Königsindischer Angriff|Староиндийская атака|Ataque indio de rey
Caro-Kann Defense|Caro-Kann-Verteidigung|Защита Каро — Канн|Defensa Caro-Kann
Nimzo-Indian Defense|Nimzowitsch-Indische Verteidigung|Защита Нимцовича|Defensa nimzoindia
Bogo-Indian Defense|Bogoljubow-Indische Verteidigung|Защита Боголюбова|Defensa bogoindia
Queen's Indian Defense|Damenindische Verteidigung|Новоиндийская защита|Defensa india de dama
Indian Defense|Indische Verteidigung|Индийская защита|Defensa india
Old Indian Defense|Altindische Verteidigung||Defensa india antigua
Queen's Pawn Game|Damenbauernspiel|Дебют ферзевых пешек|Juego del peón de dama
King's Pawn Game|Königsbauernspiel|Дебют королевских пешек|Juego del peón de rey
King's Pawn Opening|Königsbauerneröffnung|Дебют королевской пешки|Apertura del peón de rey
King's Knight Opening|Königsspringerspiel|Дебют королевского коня|Apertura del caballo de rey
Dutch Defense|Holländische Verteidigung|Голландская защита|Defensa holandesa
Semi-Slav Defense|Halbslawische Verteidigung|Полуславянская защита|Defensa semieslava
Slav Defense|Slawische Verteidigung|Славянская защита|Defensa eslava
Benoni Defense|Benoni-Verteidigung|Защита Бенони|Defensa Benoni
Grünfeld Defense|Grünfeld-Indische Verteidigung|Защита Грюнфельда|Defensa Grünfeld
Scotch Game|Schottische Partie|Шотландская партия|Apertura escocesa
Petrov's Defense|Russische Verteidigung|Русская партия|Defensa Petrov
Four Knights Game|Vierspringerspiel|Дебют четырёх коней|Apertura de los cuatro caballos
Three Knights Opening|Dreispringerspiel|Дебют трёх коней|Apertura de los tres caballos
Scandinavian Defense|Skandinavische Verteidigung|Скандинавская защита|Defensa escandinava
Nimzowitsch Defense|Nimzowitsch-Verteidigung|Дебют Нимцовича|Defensa Nimzowitsch
Bishop's Opening|Läuferspiel|Дебют слона|Apertura del alfil
Vienna Game|Wiener Partie|Венская партия|Apertura vienesa
Catalan Opening|Katalanische Eröffnung|Каталонское начало|Apertura catalana
Pirc Defense|Pirc-Ufimzew-Verteidigung|Защита Пирца — Уфимцева|Defensa Pirc
Polish Opening|Sokolski-Eröffnung|Дебют Сокольского|Apertura polaca
Grob Opening|Grobs Angriff|Дебют Гроба|Apertura Grob
Nimzo-Larsen Attack|Nimzowitsch-Larsen-Angriff|Дебют Ларсена|Ataque Nimzo-Larsen
Center Game|Mittelgambit|Центральный дебют|Apertura del centro
Latvian Gambit|Lettisches Gambit|Латышский гамбит|Gambito letón
Blackmar-Diemer Gambit|Blackmar-Diemer-Gambit|Гамбит Блэкмара — Димера|Gambito Blackmar-Diemer
Benko Gambit|Wolga-Gambit|Волжский гамбит|Gambito Benko
Richter-Veresov Attack|Weressow-Eröffnung|Дебют Вересова|Ataque Richter-Veresov
Danish Gambit|Nordisches Gambit|Северный гамбит|Gambito danés
London System|Londoner System|Лондонская система|Sistema Londres
Blumenfeld Countergambit|Blumenfeld-Gambit|Гамбит Блюменфельда|Gambito Blumenfeld
Elephant Gambit|Mittelgambit im Nachzug||Gambito elefante
Giuoco Piano|Giuoco Piano|Джуоко пиано|Giuoco Piano
Giuoco Pianissimo|Giuoco Pianissimo|Джуоко пианиссимо|Giuoco Pianissimo
Maróczy Bind|Maróczy-Aufbau|Построение Мароци|Formación Maróczy
Accelerated Dragon|Beschleunigter Drache|Ускоренный дракон|Dragón acelerado
Hyperaccelerated Dragon|Hyperbeschleunigter Drache||Dragón hiperacelerado
`;

/** What kinds of lines are called; in German and Russian with their gender. */
export const KINDS = `
Variation|f Variante|m вариант|f variante
Line|f Variante|m вариант|f línea
Attack|m Angriff|f атака|m ataque
Gambit|n Gambit|m гамбит|m gambito
Countergambit|n Gegengambit|m контргамбит|m contragambito
Defense|f Verteidigung|f защита|f defensa
System|n System|f система|m sistema
Opening|f Eröffnung|m дебют|f apertura
Formation|f Aufstellung|n построение|f formación
Counterattack|m Gegenangriff|f контратака|m contraataque
Trap|f Falle|f ловушка|f celada
`;

/** What stands before a kind. German: an adjective without ending and `-`, the beginning of a compound and `+`, a place
 * and `*`, or a name. Russian: an adjective, or a name in the genitive. Spanish: an adjective without ending and `-`, or what follows. */
export const QUALIFIERS = `
Classical|klassisch-|классический|clásic-
Fianchetto|Fianchetto+|с фианкетто|del fianchetto
Exchange|Abtausch+|разменный|del cambio
Main|Haupt+|главный|principal
Modern|modern-|современный|modern-
Two Knights|Zweispringer+|двух коней|de los dos caballos
Three Knights|Dreispringer+|трёх коней|de los tres caballos
Four Knights|Vierspringer+|четырёх коней|de los cuatro caballos
Four Pawns|Vierbauern+|четырёх пешек|de los cuatro peones
Two Pawns|Zweibauern+|двух пешек|de los dos peones
Orthodox|orthodox-|ортодоксальный|ortodox-
Normal|normal-|нормальный|normal
Advance|Vorstoß+|закрытый|del avance
Symmetrical|symmetrisch-|симметричный|simétric-
Dragon|Drachen+|дракона|del dragón
Accelerated Dragon||ускоренный дракона|del dragón acelerado
Berlin|Berliner*|берлинский|berlines-
Spanish|spanisch-|испанский|español-
Scotch|schottisch-|шотландский|escoces-
Yugoslav|jugoslawisch-|югославский|yugoslav-
Scandinavian|skandinavisch-|скандинавский|escandinav-
Bishop's|Läufer+|слоновый|del alfil
Wing|Flügel+|фланговый|de flanco
Quiet|ruhig-|спокойный|tranquil-
Traditional|traditionell-|традиционный|tradicional
Open|offen-|открытый|abiert-
Closed|geschlossen-|закрытый|cerrad-
Czech|tschechisch-|чешский|chec-
Positional|positionell-|позиционный|posicional
St. Petersburg|Petersburger*|петербургский|de San Petersburgo
Vienna|Wiener*|венский|vienes-
Russian|russisch-|русский|rus-
Austrian|österreichisch-|австрийский|austríac-
Old|alt-|старый|antigu-
London|Londoner*|лондонский|Londres
Dutch|holländisch-|голландский|holandes-
English|englisch-|английский|ingles-
Portuguese|portugiesisch-|португальский|portugues-
Center|Zentrums+|центральный|del centro
Central|zentral-|центральный|central
Knight|Springer+|коневой|del caballo
King's Indian|königsindisch-|староиндийский|indi- de rey
Poisoned Pawn|Bauernraub+|отравленной пешки|del peón envenenado
Leningrad|Leningrader*|ленинградский|de Leningrado
Carlsbad|Karlsbader*|карлсбадский|de Carlsbad
Moscow|Moskauer*|московский|de Moscú
Polish|polnisch-|польский|polac-
Hungarian|ungarisch-|венгерский|húngar-
French|französisch-|французский|frances-
Italian|italienisch-|итальянский|italian-
Norwegian|norwegisch-|норвежский|norueg-
Siberian|sibirisch-|сибирский|siberian-
Sicilian|sizilianisch-|сицилианский|sicilian-
Slav|slawisch-|славянский|eslav-
Catalan|katalanisch-|каталонский|catalan-
Endgame|Endspiel+|эндшпильный|del final
Bayonet|Bajonett+|штыковой|de la bayoneta
Hedgehog|Igel+|ежа|del erizo
Stonewall|Stonewall+|каменная стена|Stonewall
Cambridge Springs|Cambridge-Springs|кембридж-спрингский|Cambridge Springs
Retreat|Rückzugs+|отступления|de la retirada
Pin|Fesselungs+|со связкой|de la clavada
Paris|Pariser*|парижский|de París
New York|New Yorker*|нью-йоркский|de Nueva York
Najdorf||Найдорфа|
Scheveningen|Scheveninger*|схевенингенский|Scheveningen
Winawer||Винавера|
Tarrasch||Тарраша|
Rubinstein||Рубинштейна|
Chigorin|Tschigorin|Чигорина|
Morphy||Морфи|
Evans||Эванса|
Steinitz||Стейница|
Alekhine|Aljechin|Алехина|
Sämisch||Земиша|
Bogoljubow||Боголюбова|
Nimzowitsch||Нимцовича|
Alapin||Алапина|
Paulsen||Паульсена|
Marshall||Маршалла|
Tartakower||Тартаковера|
Keres||Кереса|
Botvinnik|Botwinnik|Ботвинника|
O'Kelly||О’Келли|
Kieseritzky||Кизерицкого|
Falkbeer||Фалькбеера|
Richter-Rauzer|Richter-Rauser|Рихтера — Раузера|
Torre||Торре|
Lasker||Ласкера|
Anderssen||Андерсена|
Panov|Panow|Панова|
Taimanov|Taimanow|Тайманова|
Smyslov|Smyslow|Смыслова|
Spielmann||Шпильмана|
Greco||Греко|
Grünfeld||Грюнфельда|
Averbakh|Awerbach|Авербаха|
Kan||Кана|
Meran|Meraner*|меранский|de Merano
Albin||Альбина|
Breyer||Брейера|
McCutcheon||Мак-Кетчона|
Spassky|Spasski|Спасского|
Capablanca||Капабланки|
Bronstein||Бронштейна|
Schlechter||Шлехтера|
Colle||Колле|
Maróczy||Мароци|
Karpov|Karpow|Карпова|
Kasparov|Kasparow|Каспарова|
Petrosian|Petrosjan|Петросяна|
Kasparov-Petrosian|Kasparow-Petrosjan|Каспарова — Петросяна|
Euwe||Эйве|
Janowski||Яновского|
Sozin|Sosin|Созина|
Bernstein||Бернштейна|
Philidor||Филидора|
Staunton||Стаунтона|
Lasker-Pelikan||Ласкера — Пеликана|
Max Lange||Макса Ланге|
Gligoric|Gligorić|Глигорича|Gligorić
Jaenisch||Яниша|
Romanishin|Romanischin|Романишина|
Korchnoi|Kortschnoi|Корчного|
Schliemann||Шлимана|
Zukertort||Цукерторта|
Mieses||Мизеса|
Larsen||Ларсена|
Flohr||Флора|
Nyezhmetdinov-Rossolimo|Rossolimo|Россолимо|Rossolimo
Réti||Рети|
Zaitsev|Saizew|Зайцева|
Tal||Таля|
Sveshnikov|Sweschnikow|Свешникова|
Sokolsky|Sokolski|Сокольского|
Ragozin|Ragosin|Рагозина|
Geller||Геллера|
Boleslavsky|Boleslawski|Болеславского|
Fischer||Фишера|
Bird||Бёрда|
Levenfish|Löwenfisch|Левенфиша|
Pillsbury||Пильсбери|
Panno||Панно|
Polugaevsky|Polugajewski|Полугаевского|
Simagin||Симагина|
Trompowsky||Тромповского|
Englund||Энглунда|
Owen||Оуэна|
Ponziani||Понциани|
Van Geet||ван Гета|
`;
