"""Currencies that amounts may be in: the active codes of ISO 4217, funds and metals left out."""

from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

_IN_A_ROW = (
    # A list of 157 lines would say no more.
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP"
    " BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP"
    " GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR"
    " KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK"
    " MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR"
    " SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS"
    " UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
)
CODES = frozenset(_IN_A_ROW.split())


def _known(code: str) -> str:
    if code not in CODES:
        raise ValueError("must be a currency of ISO 4217 in upper case, such as USD")
    return code


Currency = Annotated[
    str,
    AfterValidator(_known),
    WithJsonSchema({"type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217"}),
]
