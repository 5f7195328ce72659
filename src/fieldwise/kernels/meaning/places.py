"""Closed vocabularies of places and people: states of the USA, provinces of Canada, Länder of Germany, and nationalities.

>>> sorted(regions_called("Bavaria")), sorted(regions_called("OR")), sorted(regions_called("or"))
(['DE-BY'], ['US-OR'], [])
>>> sorted(nationalities_called("Swiss")), sorted(nationalities_called("Korean"))
(['CH'], ['KP', 'KR'])
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from fieldwise.kernels.text_normalize import split_words

_REGIONS: Final[Mapping[str, str]] = {
    "US": """
AL Alabama | AK Alaska | AZ Arizona | AR Arkansas | CA California | CO Colorado | CT Connecticut | DE Delaware | FL Florida | GA Georgia
| HI Hawaii | ID Idaho | IL Illinois | IN Indiana | IA Iowa | KS Kansas | KY Kentucky | LA Louisiana | ME Maine | MD Maryland | MA
Massachusetts | MI Michigan | MN Minnesota | MS Mississippi | MO Missouri | MT Montana | NE Nebraska | NV Nevada | NH New_Hampshire | NJ
New_Jersey | NM New_Mexico | NY New_York New_York_State | NC North_Carolina N_Carolina | ND North_Dakota N_Dakota | OH Ohio | OK
Oklahoma | OR Oregon | PA Pennsylvania | RI Rhode_Island | SC South_Carolina S_Carolina | SD South_Dakota S_Dakota | TN Tennessee | TX
Texas | UT Utah | VT Vermont | VA Virginia | WA Washington Washington_State | WV West_Virginia W_Virginia | WI Wisconsin | WY Wyoming |
DC District_of_Columbia Washington Washington_DC Washington_D_C D_C | PR Puerto_Rico
""",
    "CA": """
AB Alberta | BC British_Columbia | MB Manitoba | NB New_Brunswick | NL Newfoundland_and_Labrador Newfoundland Labrador | NS Nova_Scotia
| NT Northwest_Territories | NU Nunavut | ON Ontario | PE Prince_Edward_Island PEI | QC Quebec | SK Saskatchewan | YT Yukon
""",
    "DE": """
BW Baden-Württemberg | BY Bayern Bavaria | BE Berlin | BB Brandenburg | HB Bremen | HH Hamburg | HE Hessen Hesse | MV
Mecklenburg-Vorpommern Mecklenburg-Western_Pomerania | NI Niedersachsen Lower_Saxony | NW Nordrhein-Westfalen North_Rhine-Westphalia NRW
| RP Rheinland-Pfalz Rhineland-Palatinate | SL Saarland | SN Sachsen Saxony | ST Sachsen-Anhalt Saxony-Anhalt | SH Schleswig-Holstein |
TH Thüringen Thuringia
""",
}
"""By country, the codes of ISO 3166-2 with the names of each region; `_` joins the words of a name."""
_NATIONALITIES: Final = """
AF Afghan | AL Albanian | DZ Algerian | AD Andorran | AO Angolan | AR Argentine Argentinian Argentinean | AM Armenian | AU Australian |
AT Austrian | AZ Azerbaijani Azeri | BS Bahamian | BH Bahraini | BD Bangladeshi | BB Barbadian | BY Belarusian Byelorussian | BE Belgian
| BZ Belizean | BJ Beninese | BT Bhutanese | BO Bolivian | BA Bosnian | BW Motswana Botswanan | BR Brazilian | BN Bruneian | BG
Bulgarian | BF Burkinabe Burkinabé | BI Burundian | KH Cambodian | CM Cameroonian | CA Canadian | CV Cape_Verdean | CF Central_African |
TD Chadian | CL Chilean | CN Chinese | CO Colombian | KM Comorian Comoran | CG,CD Congolese | CR Costa_Rican | HR Croatian Croat | CU
Cuban | CY Cypriot | CZ Czech | DK Danish Dane | DJ Djiboutian | DO,DM Dominican | NL Dutch | EC Ecuadorian Ecuadorean | EG Egyptian |
SV Salvadoran Salvadorean | GQ Equatorial_Guinean | ER Eritrean | EE Estonian | SZ Swazi | ET Ethiopian | FJ Fijian | FI Finnish Finn |
FR French | GA Gabonese | GM Gambian | GE Georgian | DE German | GH Ghanaian | GR Greek | GD Grenadian | GT Guatemalan | GN Guinean | GW
Bissau-Guinean | GY Guyanese | HT Haitian | HN Honduran | HU Hungarian | IS Icelandic Icelander | IN Indian | ID Indonesian | IR Iranian
| IQ Iraqi | IE Irish | IL Israeli | IT Italian | CI Ivorian | JM Jamaican | JP Japanese | JO Jordanian | KZ Kazakh Kazakhstani | KE
Kenyan | KI I-Kiribati | KP,KR Korean | KP North_Korean | KR South_Korean | XK Kosovar Kosovan | KW Kuwaiti | KG Kyrgyz | LA Lao Laotian
| LV Latvian | LB Lebanese | LS Basotho | LR Liberian | LY Libyan | LI Liechtensteiner | LT Lithuanian | LU Luxembourgish Luxembourger |
MG Malagasy Madagascan | MW Malawian | MY Malaysian | MV Maldivian | ML Malian | MT Maltese | MR Mauritanian | MU Mauritian | MX Mexican
| FM Micronesian | MD Moldovan | MC Monegasque Monacan | MN Mongolian | ME Montenegrin | MA Moroccan | MZ Mozambican | MM Burmese | NA
Namibian | NR Nauruan | NP Nepalese Nepali | NZ New_Zealander | NI Nicaraguan | NE Nigerien | NG Nigerian | MK Macedonian
North_Macedonian | NO Norwegian | OM Omani | PK Pakistani | PW Palauan | PS Palestinian | PA Panamanian | PG Papua_New_Guinean | PY
Paraguayan | PE Peruvian | PH Filipino Filipina Philippine | PL Polish | PT Portuguese | PR Puerto_Rican | QA Qatari | RO Romanian | RU
Russian | RW Rwandan | WS Samoan | ST São_Toméan | SA Saudi Saudi_Arabian | SN Senegalese | RS Serbian Serb | SC Seychellois | SL
Sierra_Leonean | SG Singaporean | SK Slovak Slovakian | SI Slovenian Slovene | SB Solomon_Islander | SO Somali | ZA South_African | SS
South_Sudanese | ES Spanish Spaniard | LK Sri_Lankan | SD Sudanese | SR Surinamese | SE Swedish Swede | CH Swiss | SY Syrian | TW
Taiwanese | TJ Tajik | TZ Tanzanian | TH Thai | TL Timorese | TG Togolese | TO Tongan | TT Trinidadian | TN Tunisian | TR Turkish | TM
Turkmen | TV Tuvaluan | UG Ugandan | UA Ukrainian | AE Emirati | GB-ENG English | GB-SCT Scottish | GB-WLS Welsh | GB-NIR Northern_Irish
| GB-ENG,GB-SCT,GB-WLS,GB-NIR British | US American | UY Uruguayan | UZ Uzbek | VU Vanuatuan | VE Venezuelan | VN Vietnamese | YE Yemeni
| ZM Zambian | ZW Zimbabwean
"""
"""Codes of countries, and of the parts of the United Kingdom, with what their people are called in English."""
_CODE: Final = re.compile(r"[A-Z]{2}|PEI|NRW|D\.C\.")


@cache  # derived from a table that never changes
def _region_names() -> dict[str, frozenset[str]]:
    names: dict[str, frozenset[str]] = {}
    for country, regions in _REGIONS.items():
        for region in regions.split("|"):
            code, *spellings = region.split()
            for name in (code, *spellings):
                key = _fold(name)
                names[key] = names.get(key, frozenset()) | {f"{country}-{code}"}
    return names


@cache  # derived from a table that never changes
def _nationality_names() -> dict[str, frozenset[str]]:
    names: dict[str, frozenset[str]] = {}
    for nationality in _NATIONALITIES.split("|"):
        codes, *spellings = nationality.split()
        for name in spellings:
            names[_fold(name)] = frozenset(codes.split(","))
    return names


def _fold(name: str) -> str:
    return " ".join(split_words(name.replace("_", " ")))


def regions_called(text: str) -> frozenset[str]:
    """Codes of the states, provinces and Länder of that name or, in capitals, of that code; several where countries share a code."""
    name = _fold(text)
    if len(name) <= 3 and not _CODE.fullmatch(text.strip()):
        return frozenset()  # `or` and `in` are words
    return _region_names().get(name, frozenset())


def nationalities_called(text: str) -> frozenset[str]:
    """Codes of the countries whose people are called so."""
    return _nationality_names().get(_fold(text), frozenset())


def is_region_code(text: str) -> bool:
    """True for a code rather than a name of a region: `OR`, `D.C.`."""
    return _CODE.fullmatch(text) is not None
