"""The words that numbers, dates and measures are written in: one table of each, read by all.

English, German, French and Spanish, spelt as they are written; `by_word` folds them. What a word
means beside others (may, second, once) is for those to judge who read it: spelt_numbers.py for
values, polarity.py and answer_type.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from corpus_agent.text.tokens import fold

CARDINALS = (
    (2, "two zwei deux dos"),
    (3, "three drei trois tres"),
    (4, "four vier quatre cuatro"),
    (5, "five fünf fuenf cinq cinco"),
    (6, "six sechs seis"),
    (7, "seven sieben sept siete"),
    (8, "eight acht huit ocho"),
    (9, "nine neun neuf nueve"),
    (10, "ten zehn dix diez"),
    (11, "eleven elf onze once"),
    (12, "twelve zwölf zwoelf douze doce"),
    (13, "thirteen dreizehn treize trece"),
    (14, "fourteen vierzehn quatorze catorce"),
    (15, "fifteen fünfzehn fuenfzehn quinze quince"),
    (16, "sixteen sechzehn seize dieciséis"),
    (17, "seventeen siebzehn diecisiete"),
    (18, "eighteen achtzehn dieciocho"),
    (19, "nineteen neunzehn diecinueve"),
    (20, "twenty zwanzig vingt vingts veinte"),
    (30, "thirty dreißig trente treinta"),
    (40, "forty vierzig quarante cuarenta"),
    (50, "fifty fünfzig fuenfzig cinquante cincuenta"),
    (60, "sixty sechzig soixante sesenta"),
    (70, "seventy siebzig septante setenta"),
    (80, "eighty achtzig huitante ochenta"),
    (90, "ninety neunzig nonante noventa"),
)
HUNDRED = (100, "hundred hundert cien ciento cientos cent cents")
SCALES = (
    (1_000, "thousand tausend mille mil tsd"),
    (10**6, "million millions millionen millón millones mio mln mn"),
    (10**9, "billion billions milliarde milliarden milliard milliards mrd bn bln"),
    (10**12, "trillion trillions billionen billones"),
)
ORDINALS = (
    (1, "first erste ersten erster erstes premier première primer primera primero"),
    (2, "second zweite zweiten zweiter zweites deuxième segundo segunda"),
    (3, "third dritte dritten dritter drittes troisième tercer tercera tercero"),
    (4, "fourth vierte vierten vierter viertes quatrième cuarto cuarta"),
    (5, "fifth fünfte fünften fünfter fünftes cinquième quinto quinta"),
    (6, "sixth sechste sechsten sechster sechstes sixième sexto sexta"),
    (7, "seventh siebte siebten siebter siebtes septième séptimo séptima"),
    (8, "eighth achte achten achter achtes huitième octavo octava"),
    (9, "ninth neunte neunten neunter neuntes neuvième noveno novena"),
    (10, "tenth zehnte zehnten zehnter zehntes dixième décimo décima"),
)
FRACTIONS = (
    (2, "half Hälfte moitié mitad"),
    (3, "third thirds Drittel tiers tercio tercios"),
    (4, "quarter quarters Viertel quart quarts"),
    (5, "fifth fifths Fünftel cinquième cinquièmes"),
    (10, "tenth tenths Zehntel dixième dixièmes décimo"),
)
MONTHS = (
    (1, "January Januar Jänner Jaenner janvier enero Jan"),
    (2, "February Februar février febrero Feb"),
    (3, "March März Maerz mars marzo Mar Mrz"),
    (4, "April avril abril Apr"),
    (5, "May Mai mayo"),
    (6, "June Juni juin junio Jun"),
    (7, "July Juli juillet julio Jul"),
    (8, "August août agosto Aug"),
    (9, "September septembre septiembre Sep Sept"),
    (10, "October Oktober octobre octubre Oct Okt"),
    (11, "November novembre noviembre Nov"),
    (12, "December Dezember décembre diciembre Dec Dez"),
)
WEEKDAYS = (  # without the German ones, which have a capital and so are names
    (1, "monday mondays montags lundi lundis lunes"),
    (2, "tuesday tuesdays dienstags mardi mardis martes"),
    (3, "wednesday wednesdays mittwochs mercredi mercredis miércoles"),
    (4, "thursday thursdays donnerstags jeudi jeudis jueves"),
    (5, "friday fridays freitags vendredi vendredis viernes"),
    (6, "saturday saturdays samstags samedi samedis sábado sábados"),
    (7, "sunday sundays sonntags dimanche dimanches domingo domingos"),
)
# What a figure is measured in; the words of a line mean the same.
UNITS = (
    "second seconds sec secs Sekunde Sekunden seconde secondes segundo segundos",
    "minute minutes min mins Minuten minuto minutos",
    "hour hours hr hrs h Stunde Stunden Std heure heures hora horas",
    "day days Tag Tage Tagen jour jours día días",
    "week weeks wk wks Woche Wochen semaine semaines semana semanas",
    "month months Monat Monate Monaten mois mes meses",
    "year years yr yrs Jahr Jahre Jahren année années ans año años",
    "percent % Prozent pct porciento",
    "permille ‰ Promille",
    "€ eur euro euros",
    "$ usd dollar dollars dólar dólares",
    "£ gbp pound pounds Pfund lb lbs",
    "chf Franken fr",
    "mg milligram milligrams Milligramm",
    "ml millilitre millilitres milliliter milliliters",
    "ft foot feet Fuß pied pieds",
    "inch inches Zoll pouce pouces",
    "yard yards yd",
    "kg kilo kilos kilogram kilograms Kilogramm",
    "g gram grams Gramm",
    "km kilometre kilometres kilometer kilometers kilomètre kilomètres",
    "m metre metres meter meters mètre mètres",
    "cm centimetre centimetres centimeter centimeters centimètre centimètres Zentimeter",
    "mm millimetre millimetres millimeter millimeters millimètre millimètres",
    "l litre litres liter liters",
    "mile miles mi",
    "tonne tonnes ton tons t Tonnen tonelada toneladas",
)
UNIT = {word: fold(line) for line in UNITS for word in fold(line).split()}
"""For each folded word of a unit the folded words of its line, which stand for the unit."""


def listed(*tables: Iterable[tuple[int, str]]) -> list[str]:
    """The words of tables as they are written, in order."""
    return [word for table in tables for _, line in table for word in line.split()]


def by_word(*tables: Iterable[tuple[int, str]]) -> dict[str, int]:
    """The value of each folded word of tables; of a word in two, that of the last."""
    return {word: n for table in tables for n, line in table for word in fold(line).split()}
