"""Words that exclude each other, words that negate, and names of places and people: what an embedding model mixes up.

In a table, `;` ends a family, `|` separates its groups, the words of a group mean the same, and `_` joins the words of a phrase.
Two texts conflict in a family if both have a word of it and share no group. The lists are short on purpose: a word that often means
something else is left out.
"""


def parse_words(text: str) -> frozenset[str]:
    """Parse words separated by white space, phrases joined by `_`."""
    return frozenset(word.replace("_", " ") for word in text.split())


def parse_groups(table: str) -> list[list[list[str]]]:
    """Parse a table into families of groups of phrases.

    >>> parse_groups("rose went_up | fell ; buyer | seller ;")
    [[['rose', 'went up'], ['fell']], [['buyer'], ['seller']]]
    """
    families = [family.split("|") for family in table.split(";") if family.strip()]
    return [[[phrase.replace("_", " ") for phrase in group.split()] for group in groups] for groups in families]


OPPOSITES = """
rose rise rises rising risen increase increases increased increasing grew grow grows grown growth climbed gained up higher
    raised raise stieg steigt gestiegen stiegen erhöht erhöhen augmenté augmente augmentation hausse aumentó aumentaron
    aumento aumenta crecieron creció aumentato cresceu | fell fall falls fallen falling decrease decreases decreased decreasing
    declined decline declines dropped drop drops down lower reduced reduce sank sinkt gesunken sanken gesenkt reduziert diminué
    diminue diminution baisse disminuyó disminuyeron cayó cayeron bajó bajaron diminuito caiu ;
profit profits gain gains income gewinn bénéfice beneficio | loss losses verlust perte pérdida ;
include includes included including inclusive incl inklusive inkl einschließlich compris incluye incluido | exclude excludes excluded
    excluding exclusive_of excl exklusive exkl zzgl zuzüglich plus_vat plus_tax plus_taxes plus_gst plus_mwst plus_ust before_vat
    before_tax ausschließlich exclut excluye excluido ;
accept accepts accepted approve approves approved approval granted genehmigt angenommen akzeptiert accepté acceptée aceptado
    aprobado aprobada accettato aceito zaakceptowane | reject rejects rejected rejection deny denied refuse refused declined
    disapproved abgelehnt refusé refusée rejeté rechazado rechazada rifiutato rejeitado odrzucone ;
pass passed passes bestanden | fail failed fails ;
start starts started begin begins began begun commence commenced | stop stops stopped end ends ended discontinue discontinued
    finish finished cease expire expires expiring terminate terminates terminated ;
before prior_to vor avant antes | after following nach après después ;
above over exceeds exceeded more_than greater_than | below under beneath less_than fewer_than ;
maximum max at_most no_more_than up_to | minimum min at_least no_less_than ;
hello welcome | goodbye farewell ;
ascending aufsteigend croissant ascendente | descending absteigend décroissant descendente ;
domestic inländisch national | international foreign ausländisch ;
taxable steuerpflichtig imposable | tax-exempt tax-free tax_exempt tax_free steuerfrei exonéré exento ;
entrance entry entrée entrada | exit sortie salida ;
wholesale | retail ;
inpatient | outpatient ;
buyer purchaser käufer acheteur comprador | seller vendor verkäufer vendeur vendedor ;
lessor landlord vermieter bailleur arrendador | lessee tenant renter mieter locataire arrendatario ;
borrower debtor | lender creditor ;
employer arbeitgeber | employee arbeitnehmer ;
licensor | licensee ;
assignor | assignee ;
mortgagor | mortgagee ;
grantor | grantee ;
franchisor | franchisee ;
transferor | transferee ;
trustor settlor | trustee ;
obligor | obligee ;
pledgor | pledgee ;
promisor | promisee ;
donor | donee ;
bailor | bailee ;
drawer | drawee ;
interviewer | interviewee ;
appellant petitioner | appellee respondent ;
plaintiff claimant | defendant ;
debit debits debited | credit credits credited ;
gross brutto | net netto ;
import imports imported | export exports exported ;
arrive arrives arrived arrival | depart departs departed departure ;
open opens opened offen ouvert abierto | close closed closes geschlossen fermé cerrado ;
on | off ;
online | offline ;
wired corded kabelgebunden | wireless cordless kabellos ;
early too_early earlier | late too_late later ;
high hoch alto | low niedrig bajo ;
large big groß grande | small little klein pequeño ;
strong | weak ;
double doubled | single | halved | triple tripled treble ;
day daytime | night overnight ;
first erste premier primero | last final letzte dernier último ;
long | short ;
upper top | lower bottom ;
front | rear ;
public | private ;
fixed | variable ;
temporary temporarily interim | permanent permanently ;
mandatory compulsory obligatory required | voluntary optional ;
buy buys bought purchase purchased | sell sells sold ;
lend lends lent | borrow borrows borrowed ;
hire hired | fire fired dismissed ;
cheap cheaper | expensive ;
win wins won | lose loses lost ;
most majority | few minority hardly_any ;
passed enacted adopted introduced | repealed abolished ;
under_warranty | out_of_warranty ;
new | existing old ;
ouvre | ferme ;
abre | cierra ;
öffnet | schließt ;
hot warm | cold ;
indoor indoors interior | outdoor outdoors exterior ;
positive positiv positif positivo | negative negativ négatif negativo ;
benign | malignant ;
acute akut | chronic chronisch ;
improved improve improving better | worsened worsen worse deteriorated ;
admitted admit | discharged ;
reports report reported complains has presents_with | denies ;
allowed permitted permit allows erlaubt autorisés autorisé permiten permitido | prohibited forbidden banned verboten interdit
    interdits prohibido ;
in_favour in_favor | against ;
advance upfront prepayment in_advance | arrears in_arrears | on_delivery upon_delivery ;
renewed renew renews | cancelled canceled cancel cancels ;
fully full completely in_full | partially partly partial ;
true | false ;
all every everyone everybody each | some several few many ;
often frequently regularly häufig souvent | rarely seldom infrequently selten rarement raramente ;
subtotal sub-total sub_total zwischensumme sous-total | total totals grand_total grand-total gesamtsumme gesamtbetrag ;
noon midday mittags midi mediodía mezzogiorno | midnight mitternacht mitternachts minuit medianoche mezzanotte ;
inflow | outflow ;
supply angebot | demand nachfrage ;
guest gast | host gastgeber ;
innocent unschuldig | guilty schuldig ;
convicted verurteilt | acquitted freigesprochen ;
success succeeded successful successfully | failure failures unsuccessful ;
open-ended indefinite | fixed-term fixed_term ;
rule_out ruled_out rules_out | confirm confirms confirmed ;
victim opfer | offender perpetrator täter ;
offense offensive | defense defensive ;
push pushes pushed | pull pulls pulled ;
parent parents eltern | child children kinder ;
ancestor | descendant ;
latitude breitengrad | longitude längengrad ;
weekday weekdays werktags | weekend weekends wochenende ;
sunrise dawn sonnenaufgang | sunset dusk sonnenuntergang ;
numerator zähler | denominator nenner ;
convex konvex | concave konkav ;
vertical vertically vertikal senkrecht | horizontal horizontally waagerecht waagrecht ;
uppercase upper_case upper-case großbuchstaben | lowercase lower_case lower-case kleinbuchstaben ;
prefix | suffix ;
singular einzahl | plural mehrzahl ;
question questions frage | answer answers antwort ;
coastal | inland ;
wet nass | dry trocken ;
young younger jung | old older elderly alt ;
safe safely sicher | dangerous unsafe hazardous gefährlich ;
visible sichtbar | hidden invisible unsichtbar ;
next nächste nächsten | previous preceding vorherige vorherigen ;
beginner beginners novice anfänger | advanced expert fortgeschrittene ;
amateur | professional ;
orally verbally verbal | writing written ;
in_stock | out_of_stock ;
married | divorced single unmarried widowed ;
bezahlt beglichen | unbezahlt ;
left links linke linken linkes gauche izquierda izquierdo sinistra | right rechts rechte rechten rechtes droite derecha derecho
    destra ;
male man men men's herren homme hommes hombre hombres männlich masculin masculino maschile mannelijk |
    female woman women women's damen femme femmes mujer mujeres weiblich féminin femenino feminino femminile vrouwelijk ;
ttc | ht ;
normal | abnormal ;
typical | atypical ;
symptomatic | asymptomatic ;
activate activates activated active | deactivate deactivates deactivated inactive ;
am a.m | pm p.m ;
enable enables enabled aktiviert | disable disables disabled deaktiviert ;
primary | secondary ;
alive living | dead deceased ;
mild | moderate | severe ;
surplus überschuss | deficit defizit ;
income incomes revenue revenues | expense expenses expenditure ;
check-in checkin check_in | check-out checkout check_out ;
log-in login log_in logged_in sign-in sign_in signed_in | log-out logout log_out logged_out sign-out sign_out signed_out ;
opt-in opt_in opted_in | opt-out opt_out opted_out ;
clock-in clock_in | clock-out clock_out ;
move-in move_in moved_in | move-out move_out moved_out ;
manual manually manuell | automatic automatically automated automatisch ;
few wenige | many numerous viele ;
has have having contains contain | lacks lack lacked lacking ;
"""

ALTERNATIVES = """
invoice bill rechnung facture factura | receipt quittung reçu recibo | credit_note credit_memo gutschrift |
    purchase_order | quotation quote ;
passport reisepass passeport | visa | driving_licence driving_license driver's_licence driver's_license führerschein ;
cash bar_payment | card ;
ceo chief_executive_officer chief_executive | cfo chief_financial_officer | cto chief_technology_officer | coo
    chief_operating_officer | cmo chief_marketing_officer | cio chief_information_officer | chro chief_human_resources_officer |
    cpo chief_product_officer | ciso chief_information_security_officer ;
junior jr | senior sr | assistant | associate | principal | intern trainee internship ;
sales | marketing | procurement purchasing | finance | hr human_resources personnel | legal | engineering ;
electrical | mechanical | civil | chemical ;
nurse | doctor physician | pharmacist | dentist ;
car automobile | truck lorry | bus coach | van | motorcycle motorbike | bicycle bike ;
front-end frontend front_end | back-end backend back_end | full-stack fullstack full_stack ;
bachelor bachelor's bachelors bsc b.sc | master master's masters msc m.sc | phd ph.d doctorate doctoral ;
monday mondays montag montags lundi lundis lunes | tuesday tuesdays dienstag dienstags mardi mardis martes | wednesday wednesdays mittwoch
    mittwochs mercredi mercredis miércoles | thursday thursdays donnerstag donnerstags jeudi jeudis jueves | friday fridays freitag freitags
    vendredi vendredis viernes | saturday saturdays samstag samstags sonnabend samedi samedis sábado sábados | sunday sundays
    sonntag sonntags
    dimanche dimanches domingo domingos ;
once einmal une_fois una_vez | twice zweimal deux_fois dos_veces | thrice three_times dreimal trois_fois tres_veces ;
catholic katholisch catholique católico | protestant evangelisch lutheran protestante | orthodox | muslim islamic | jewish | hindu |
    buddhist | sikh ;
january januar janvier enero | february februar février febrero | in_march of_march by_march until_march since_march märz marzo |
    april avril abril | in_may of_may by_may until_may since_may mayo | june juni juin junio | july juli juillet
    julio | august août agosto | september septembre septiembre | october oktober octobre octubre | november novembre noviembre |
    december dezember décembre diciembre ;
per_hour hourly each_hour every_hour | per_day daily a_day each_day every_day | per_week weekly a_week each_week every_week |
    biweekly bi-weekly fortnightly every_two_weeks every_other_week | bimonthly bi-monthly every_two_months every_other_month |
    per_month monthly a_month each_month
    every_month | per_quarter quarterly each_quarter every_quarter | semiannually semi-annually semiannual half-yearly |
    per_year yearly annually per_annum annual a_year each_year
    every_year ;
usd us$ $ dollar dollars | eur € euro euros | gbp £ pound_sterling pounds_sterling | chf swiss_francs | jpy ¥ yen | cny rmb yuan ;
celsius °c | fahrenheit °f | kelvin ;
red rot rote rotes roter rouge rojo roja rode rood | blue blau blaue blaues bleu bleue azul | green grün grüne vert verte verde
    groene groen | black schwarz schwarze schwarzer noir noire negro negra zwart zwarte | white weiß weiße blanc blanche blanco
    blanca wit witte | yellow gelb gelbe jaune amarillo amarilla geel gele | brown braun marron marrón bruin | grey gray grau gris
    grijs | orange | purple violet lila | pink rosa ;
north n northern nord norte | south s southern süd sud sur ;
east e eastern ost | west w western ;
northeast ne | northwest nw | southeast se | southwest sw ;
whole_milk | skimmed skim | semi-skimmed ;
petrol gasoline | diesel | electric ;
mother mutter mère madre mãe | father vater père padre pai | sister schwester sœur soeur hermana sorella | brother bruder frère hermano
    fratello | daughter tochter fille hija figlia | son sohn hijo figlio | nephew neffe neveu sobrino | niece nichte nièce sobrina |
    uncle onkel
    oncle tío zio | aunt tante tía zia | husband ehemann mari marido esposo marito | wife ehefrau épouse esposa moglie | grandfather
    großvater
    abuelo | grandmother großmutter abuela | grandson enkel nieto | granddaughter enkelin nieta | cousin | stepfather | stepmother ;
widow witwe veuve viuda vedova | widower witwer veuf viudo vedovo ;
summer sommer été verano estate | winter hiver invierno inverno | autumn herbst automne otoño autunno ;
yesterday gestern hier ayer ieri | today heute aujourd'hui hoy oggi | tomorrow morgen demain mañana domani ;
supplier lieferant fournisseur proveedor fornitore | customer client kunde cliente ;
sender shipper consignor absender expéditeur remitente mittente | recipient receiver consignee addressee empfänger destinataire
    destinatario ;
payer | payee ;
mr mister herr monsieur señor signor senhor | mrs ms miss frau madame mademoiselle señora señorita signora senhora mevrouw ;
sodium natrium | potassium kalium | calcium kalzium | magnesium ;
frankfurt_am_main | frankfurt_an_der_oder ;
insurer versicherer | policyholder insured versicherungsnehmer versicherter ;
hardcover hardback | paperback softcover taschenbuch | e-book ebook | audiobook hörbuch ;
breakfast frühstück petit-déjeuner petit_déjeuner desayuno colazione | lunch mittagessen déjeuner almuerzo pranzo |
    dinner supper abendessen dîner cena ;
half halb moitié mitad metà | one_third a_third two_thirds one-third two-thirds drittel tercio | quarter viertel cuarto ;
beef rindfleisch bœuf boeuf | pork schweinefleisch porc cerdo | chicken hähnchen poulet pollo | lamb lammfleisch agneau cordero |
    salmon lachs saumon salmón | tuna thunfisch thon atún | shrimp prawns garnelen crevettes gambas ;
democrat | republican ;
president präsident | prime_minister premierminister | chancellor kanzler | mayor bürgermeister maire alcalde |
    governor gouverneur gobernador ;
sole_proprietor sole_proprietorship sole_trader | partnership ;
adult adults erwachsene | child children kinder | infant infants | senior_citizen pensioner ;
bill_to invoice_to | ship_to deliver_to | sold_to ;
delivery_address shipping_address lieferadresse | billing_address invoice_address rechnungsadresse ;
accountant bookkeeper buchhalter comptable contable | auditor wirtschaftsprüfer ;
architect architekt architecte arquitecto | builder bauunternehmer ;
psychologist psychologe | psychiatrist psychiater ;
liver leber foie hígado | kidney kidneys niere nieren riñón | lung lungs lunge poumon pulmón | heart herz cœur corazón |
    brain gehirn cerveau cerebro | stomach magen estomac estómago | bladder | pancreas | spleen | thyroid ;
antibiotic antibiotics | antiviral antivirals | antifungal ;
sedan saloon | suv | hatchback | convertible cabriolet | coupe coupé | station_wagon ;
king_bed king-size king_size | queen_bed queen-size queen_size | twin_bed twin_beds | double_bed | single_bed ;
ebit | ebitda ;
felony | misdemeanor misdemeanour ;
engaged | married | separated ;
hurricane typhoon hurrikan | tornado ;
lion löwe | tiger | leopard | cheetah ;
shoe shoes schuhe | sock socks socken | glove gloves handschuhe ;
android | ios ; windows | macos mac_os | linux ;
mobile_phone cell_phone cellphone | landline festnetz ;
wi-fi wifi wlan | bluetooth | ethernet ;
usb-a usb_a | usb-b usb_b | usb-c usb_c ;
jpeg jpg | png | gif | tiff tif | svg ;
by_mail by_post per_post | by_courier per_kurier ;
parent_company holding_company muttergesellschaft | subsidiary tochtergesellschaft filiale ;
assets aktiva actifs activos | liabilities passiva passifs pasivos ;
payable | receivable ;
teacher lehrer | student pupil schüler ;
gold | silver | bronze | platinum | copper | aluminium aluminum | steel | iron | brass | titanium | zinc | nickel | tin ;
cotton baumwolle coton algodón | polyester | wool wolle laine lana | silk seide soie seda | linen leinen lin lino | leather leder
    cuir cuero |
    nylon | viscose | acrylic ;
oak eiche chêne roble | pine kiefer pin pino | beech buche hêtre haya | maple ahorn | walnut | birch | ash_wood ;
sergeant | lieutenant | captain | colonel | corporal | admiral | commander ;
systolic | diastolic ;
unilateral einseitig | bilateral beidseitig ;
proximal | distal ;
anterior | posterior ;
medial | lateral ;
sober | intoxicated drunk ;
vegetarian vegetarisch végétarien vegetariano meatless | vegan | meat beef pork chicken ;
one_way one-way einfache_fahrt aller_simple | round_trip round-trip return_trip return_flight return_ticket hin_und_rückfahrt
    aller-retour ;
sons | daughters ;
morning | afternoon | evening | night ;
type_1 t1dm | type_2 t2dm ;
english | german | french | spanish | portuguese | italian | chinese mandarin | japanese | russian | arabic | dutch | polish |
    korean | turkish ;
pending awaiting in_review | approved rejected completed ;
shipped dispatched | delivered | returned | cancelled canceled ;
first_half | second_half ;
aspirin | ibuprofen | paracetamol acetaminophen | amoxicillin | azithromycin | penicillin | metformin | insulin | warfarin |
    heparin | prednisone | prednisolone ;
new_york ny nyc | california ca | texas tx | florida fl | illinois il | massachusetts ma | delaware | oregon | maine | ohio oh |
    washington_state wa | virginia va | georgia | arizona az | nevada nv | colorado | michigan mi | pennsylvania_state pa |
    new_jersey nj ;
united_states usa u.s us america | united_kingdom uk great_britain britain | germany deutschland | france frankreich | spain
    españa spanien | italy italia italien | portugal | poland polen | netherlands holland | belgium | austria österreich |
    switzerland schweiz suisse | ireland | canada | mexico | brazil brasil | china | japan | india | australia | sweden | norway |
    denmark | finland | russia | turkey | singapore_state | south_africa | south_korea ;
cat cats katze chat gato | dog dogs hund chien perro | horse horses pferd cheval caballo |
    donkey esel âne burro | cow cows kuh | pig pigs schwein | sheep schaf ;
beer bier bière cerveza | wine wein vin vino ; coffee kaffee café | tea tee thé té ;
football soccer fußball | basketball | tennis | hockey | baseball | rugby | cricket | golf | volleyball ;
king könig roi rey | queen königin reine reina ; prince prinz | princess prinzessin ; pen kugelschreiber | pencil bleistift ;
christian christianity christentum | muslim islam | jewish judaism | hindu hinduism | buddhist buddhism ;
anna | maria | mary | julia | laura | sarah sara | emma | sophie | sophia sofia | lisa | emily | olivia | elena |
    elizabeth elisabeth | catherine katherine kathryn kate katie | jennifer | jessica | linda | susan | karen | nancy | helen | helena |
    ruth | monica monika | angela | sandra | sabine | petra | eva | ines | isabel | isabelle | charlotte | caroline | carolina |
    peter pete | john jon johnny | michael mike | david dave | daniel dan | thomas tom | james jim | robert rob bob | william | paul |
    mark marc | martin | andreas | stefan stephan | steven stephen steve | carlos | juan | luis | marco | marcos | jean | pierre | hans |
    max | george | alexander | louis | charles | henry | richard rick | michelle | roberta | roberto | daniela | danielle | paula |
    paulo | martina | martine | alexandra | mario | carla | carlo | julio | julian | juliana | simon | simone | nicolas nicholas |
    nicole | francesco | francesca | francisco | stefanie stephanie | michaela | michele | christian | christina | christine | jeanne |
    andre andré | andrea | victor | victoria | patrick | patricia | eric erik | erica erika | antonio | antonia | fernando | fernanda |
    claudio | claudia | giovanni | giovanna | lorenzo | luca | lucas | lucia | emilio | emilia | philip phillip | philippa | joseph |
    josephine | jose josé | josefa | dominic | dominique | gabriel | gabriela gabriella | gabrielle | valentin | valentina | adrian |
    adriana | karl | karla | ivan | ivana | oleg | olga | dmitri dmitry | sergei sergey | natalia | tatiana | ahmed ahmad | fatima |
    mohammed mohamed muhammad | omar | ali | yusuf | priya | rahul | anil | anita | kenji | yuki | chen | min-jun | min-seo | kevin |
    brian bryan | jason | matthew matt | anthony tony | edward | samuel | samantha | benjamin | jonathan | joan | joanna | johanna |
    louise | louisa | henriette | henrietta | pauline ;
"""

TOWNS = """
london londres londra | paris parigi | berlin | munich münchen | hamburg | frankfurt | vienna wien vienne viena | zurich zürich |
    geneva genève genf ginevra | madrid | barcelona | lisbon lisboa lissabon lisbonne | porto | rome roma rom | milan milano mailand |
    amsterdam | rotterdam | the_hague den_haag | brussels bruxelles brussel brüssel | dublin | birmingham | bristol | leeds | manchester |
    edinburgh | glasgow | stockholm | oslo | copenhagen københavn kopenhagen copenhague | helsinki helsingfors |
    warsaw warszawa warschau varsovie | prague praha prag praga | budapest | athens athen athènes athina | istanbul constantinople |
    moscow moskva moskau moscou | saint_petersburg st_petersburg leningrad | dubai | mumbai bombay | delhi new_delhi |
    bangalore bengaluru | singapore | hong_kong | tokyo tokio | osaka | seoul | beijing peking | shanghai | shenzhen |
    sydney | melbourne | canberra | brisbane | toronto | vancouver | montreal montréal | chicago | boston | houston | dallas | denver |
    seattle | new_york new_york_city nyc | san_francisco | los_angeles | san_diego | san_antonio | san_jose | phoenix | philadelphia |
    atlanta | miami | springfield | detroit | kansas_city | salt_lake_city |
    oxford | cambridge | liverpool | sheffield | newcastle | nottingham | leicester | cardiff | belfast | aberdeen | brighton | york_city |
    cologne köln | düsseldorf dusseldorf | stuttgart | leipzig | dresden | nuremberg nürnberg | hanover hannover | lyon lyons |
    marseille marseilles | toulouse | bordeaux | lille | strasbourg straßburg strassburg | naples napoli neapel | turin torino |
    florence_italy firenze florenz | venice venezia venedig venise | bologna | genoa genova genua | seville sevilla | valencia | bilbao |
    basel bâle basle | bern berne | salzburg | graz | antwerp antwerpen anvers | ghent gent gand | utrecht | eindhoven |
    gothenburg göteborg | malmö | aarhus | bergen | krakow kraków cracow krakau | gdansk gdańsk danzig | wroclaw wrocław breslau |
    bucharest bucurești bukarest | sofia_city | belgrade beograd belgrad | zagreb | kyiv kiev kiew | ankara | izmir | cairo kairo |
    lagos | nairobi | johannesburg | cape_town kapstadt | casablanca | riyadh | doha | abu_dhabi | tel_aviv | jerusalem | karachi | lahore |
    dhaka | chennai madras | kolkata calcutta | hyderabad | pune | bangkok | jakarta | manila | hanoi | ho_chi_minh_city saigon |
    kuala_lumpur | taipei | kyoto | nagoya | busan | guangzhou canton | chengdu | wuhan | perth | adelaide | auckland | christchurch |
    ottawa | calgary | edmonton | winnipeg | austin | portland | las_vegas | sacramento | minneapolis | pittsburgh | baltimore |
    cleveland | cincinnati | columbus | indianapolis | milwaukee | nashville | memphis | new_orleans | tampa | orlando | honolulu |
    mexico_city ciudad_de_méxico | guadalajara | bogotá bogota | medellín medellin | lima | santiago | buenos_aires |
    são_paulo sao_paulo | rio_de_janeiro | caracas | montevideo | havana habana havanna ;
"""
"""One family, in the form of the tables above, with the names of a town in other languages."""

MAKES = """
europe | asia | africa | antarctica | oceania | north_america | south_america ;
oxford | cambridge | harvard | yale | stanford | princeton | cornell | caltech california_institute_of_technology |
    mit massachusetts_institute_of_technology | eth | imperial_college | heidelberg ;
toyota | honda | nissan | mazda | subaru | hyundai | kia | volkswagen vw | audi | bmw | mercedes mercedes-benz | porsche | opel | renault |
    peugeot | citroën citroen | fiat | volvo | tesla | chevrolet chevy | chrysler | toyota_corolla | lexus | skoda škoda ;
nike | adidas | reebok | new_balance ; coca-cola coca_cola coke | pepsi pepsi-cola ; google | microsoft | facebook | netflix ;
samsung | sony | panasonic | philips | siemens | huawei | nokia | lenovo ; mastercard | american_express amex | paypal ;
deutsche_bank | commerzbank | unicredit | santander | barclays | hsbc | citibank citi | goldman_sachs | jpmorgan jpmorgan_chase |
    morgan_stanley | bnp_paribas | société_générale | credit_suisse | ubs ;
fedex federal_express | ups united_parcel_service | dhl ; lufthansa | ryanair | easyjet | emirates_airline | qantas | klm ;
kpmg | deloitte | pwc pricewaterhousecoopers pricewaterhouse_coopers | ernst_&_young ;
mozart | beethoven | bach | chopin | vivaldi | wagner ; shakespeare | dickens | goethe | tolstoy | hemingway ;
"""
"""Continents, institutions, companies and artists. Like those of towns, their names have spellings and no synonyms."""

QUALIFIERS = parse_words(
    "vice deputy assistant former ex interim acting intern internship trainee partially partly stellvertretender stellvertretende"
)
"""Words that change the meaning of what follows: on one side alone they make a difference."""

NEGATORS = parse_words(
    """not no never without none neither cannot nothing nobody non n't hardly barely scarcely
    nicht kein keine keinen keiner keinem nie niemals ohne weder pas
    aucun aucune jamais sans nunca sin ningún ninguna jamás senza nessun nessuna não sem nenhum nenhuma niet geen nooit zonder nie bez"""
)
WEAK_NEGATORS = parse_words("hardly barely scarcely")
SMALL_DEGREES = parse_words("slightly narrowly marginally rarely seldom little just few minimally")
"""What a text says that is no opposite of one with a weak negator: `Sales barely grew`, `Sales grew slightly`."""
NON_NEGATING_PHRASES = parse_words(
    "no_later_than not_later_than no_more_than not_more_than no_less_than not_less_than not_only no_earlier_than if_not "
    "hardly_any hardly_anyone hardly_anybody hardly_anything scarcely_any scarcely_anyone barely_any"
)
"""Phrases with a negator that do not negate."""

IMPLICIT_NEGATORS = parse_words(
    """deny denies denied exclude excludes excluded excluding except prohibited prohibits forbidden banned reject rejected refuse refused
    refuses fail fails failed lack lacks lacking only unless expired expires secret outstanding free absent absence out stop stopped
    discontinue remotely outside overdue closed prevent prevents cannot rather insufficient dissatisfied verboten interdit interdits
    interdite prohibido prohibidas prohibida prohibidos sauf excepto salvo außer überfällig beforehand cancelled canceled requires
    prior keep kept"""
)
"""Words that may carry a negation of their own; where one occurs, the number of negators proves nothing."""

OPPOSITE_PREFIXES = (
    ("", "un"),
    ("", "non"),
    ("", "in"),
    ("", "dis"),
    ("", "im"),
    ("", "ir"),
    ("", "il"),
    ("", "mis"),
    ("", "nie"),
    ("hyper", "hypo"),
    ("tachy", "brady"),
    ("intra", "extra"),
    ("pre", "post"),
    ("over", "under"),
    ("up", "down"),
    ("in", "ex"),
    ("im", "ex"),
    ("in", "out"),
    ("ein", "aus"),
    ("north", "south"),
    ("macro", "micro"),
    ("ver", ""),
)
"""Prefixes that turn a word into its opposite: paid and unpaid, hypertension and hypotension."""

CLASS_ENDINGS = (
    *("itis", "ectomy", "ostomy", "oscopy", "oplasty", "ologist", "opathy"),
    *("statin", "prazole", "sartan", "cillin", "mycin", "floxacin", "olol", "azepam", "dipine"),
)
"""Endings of inflammations, operations, specialists and classes of drugs: the beginning of the word tells them apart."""

PARTY_ENDINGS = (("or", "ee"), ("er", "ee"), ("geber", "nehmer"))
"""Endings of the two parties of a deal: licensor and licensee."""

HAN_OPPOSITES = """增 増 升 涨 | 降 减 減 跌 ; 买 | 卖 ; 左 | 右 ; 男 | 女 ; 出租 | 承租 ; 借款人 | 贷款人 ;
批准 | 拒绝 ; 最高 最大 最多 | 最低 最小 最少"""
HAN_NEGATORS = "不没未无非否無ぬ"
HAN_NEGATING_ENDS = ("ない", "ません")
