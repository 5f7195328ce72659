"""Words that say nothing by themselves, in the languages that separate words by spaces, and CJK characters that do the same."""

from typing import Final

_ENGLISH: Final = """
a about above after again against all also although always am an and another any are as at be because been before being below between
both but by can cannot could did do does doing down during each either else ever every few for from further had has have having he hence
her here hers him his how however i if in into is it its itself just least less let like made make many may me might more most much must
my near neither never no none nor not now of off often on once one only onto or other others our out over own per perhaps quite rather
really same see shall she should since so some such than that the their theirs them then there therefore these they this those though
through thus to together too toward towards under until up upon us very via was we well were what whatever when where whether which
while who whom whose why will with within without would yes yet you your yours
"""
_GERMAN: Final = """
aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den denn der des dessen
die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwa für gegen hat hatte hatten hier
ich ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jedoch kann kein keine können mehr mein mit muss nach nein
nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so soll sondern sowie über um und uns unser unter vom
von vor war waren was weil welche welcher welches wenn wer werden wie wird wo wurde wurden zu zum zur zwischen
"""
_FRENCH_SPANISH: Final = """
ainsi alors au aucun aussi autre aux avec avoir car ce ceci cela celle celui ces cet cette chez comme dans de des donc dont du elle elles
en entre est et être ils je la le les leur leurs lors lui mais même nous ou où par pas pendant plus pour pourquoi quand que quel quelle
qui sans ses si son sont sous sur très tous tout toute toutes un une vers votre vous
algo ante antes aquel aquella como con contra cual cuando cuya cuyo desde donde dos el ella ellas ellos entonces era esa ese eso esta
estas este esto estos está están fue ha hasta hay la las lo los más muy nada ni nos o otra otro para pero por porque pues que quien
se según ser si sin sobre son su sus también tanto tiene todas todo todos una uno unas unos y ya
"""
_ARABIC: Final = """
إلى الذي التي الذين اللذين أن إن أو أي بعد بين ثم حتى حول خلال ذلك على عن عند عندما غير في فيها قبل قد كان كانت كما كل لأن لا لقد لكن لم
لها له ما مع من منذ نحو نعم هذا هذه هناك هو هي هؤلاء وفي ولا ومن وهو وهي يكون تكون
"""

STOPWORDS: Final = frozenset(" ".join((_ENGLISH, _GERMAN, _FRENCH_SPANISH, _ARABIC)).split())
STOP_CHARACTERS: Final = frozenset("的了是在和与及或为有于对从被把这那其之而以也都就很吗呢吧啊我你他她它们一不上下中のはがをにでともへや")
