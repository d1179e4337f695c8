"""What is wrong with an IBAN that somebody typed (ISO 13616): characters, length, check digits.

The desk alone checks it: REST stores details of any kind.
"""

import re
from collections.abc import Callable
from typing import Final

from serving_api.resources.payouts.accruals.summary import shortened

_LENGTHS: Final = """
    AD24 AE23n AL28 AT20n AZ28 BA20n BE16n BG22 BH22 BI27n BR29 BY28 CH21 CR22n CY28 CZ24n DE22n
    DJ27n DK18n DO28 EE20n EG29n ES24n FI18n FK18 FO18n FR27 GB22 GE22 GI23 GL18n GR27 GT28 HR21n
    HU28n IE22 IL23n IQ23 IS26n IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20n LU20 LV21 LY25n MC27 MD24
    ME22n MK19 MN20n MR27n MT31 MU30 NL18 NO15n OM23 PK24 PL28n PS29 PT25n QA29 RO24 RS22n RU33
    SA24 SC31 SD18n SE24n SI19n SK24n SM27 SO23n ST25n SV28 TL23n TN24n TR26 UA29 VA22n VG24 XK20n
"""
"""Characters of an IBAN by country; `n`: all after the country are digits. Others may exist."""
_COUNTRIES: Final = {
    entry[:2]: (int(entry[2:4]), entry.endswith("n")) for entry in _LENGTHS.split()
}


def is_named_iban(name: str) -> bool:
    """Return whether a word of the name is IBAN, as in `iban_number` and `bankIban`."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return any(word.lower() == "iban" for word in words)


def iban_mistake(sent: str) -> str | None:
    """Return what is wrong and what to do, None for a valid IBAN; spaces are ignored."""
    iban = "".join(sent.split()).upper()
    if wrong := _positions(iban, lambda each: not (each.isascii() and each.isalnum())):
        return f"An IBAN has letters A to Z and digits: correct {wrong}"
    if not re.match(r"[A-Z]{2}[0-9]{2}", iban):
        return "An IBAN begins with the two letters of its country and two digits, such as DE89"
    country, number = iban[:2], len(iban)
    length, has_digits = _COUNTRIES.get(country, (0, False))
    if has_digits and (wrong := _positions(iban, str.isalpha, after=2)):
        return f"After {country}, an IBAN has digits: correct {wrong}"
    if number not in (range(length, length + 1) if length else range(15, 35)):
        return f"An IBAN of {country} has {length or '15 to 34'} characters, this has {number}"
    if int("".join(str(int(each, 36)) for each in iban[4:] + iban[:4])) % 97 != 1:
        return (
            f"The check digits {iban[2:4]} do not match: a character is wrong, or two are swapped"
        )
    return None


def _positions(iban: str, is_wrong: Callable[[str], bool], after: int = 0) -> str:
    """Return the first wrong characters with their positions, "" if there are none."""
    characters = [
        f"“{each}” (character {position})"
        for position, each in enumerate(iban, start=1)
        if position > after and is_wrong(each)
    ]
    return shortened(characters)
