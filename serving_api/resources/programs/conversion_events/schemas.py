"""Bodies, filters and answers of conversion events (contract, Conversion event)."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, StrictInt, StringConstraints, WithJsonSchema

from serving_api.kit.schemas import Body, Changes, Flag, Label, Metadata, Text, unsent

_IN_A_ROW = (
    # As a string, because 157 lines would be no clearer.
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
        raise ValueError("must be an ISO 4217 code in upper case, such as USD")
    return code


Currency = Annotated[
    str,
    AfterValidator(_known),
    WithJsonSchema({"type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217"}),
]


MAX_VALUE_CENTS = 9_000_000_000
"""Multiplied by the largest quantity, still an integer that every JSON reader keeps exactly."""

Cents = Annotated[StrictInt, Field(ge=0, le=MAX_VALUE_CENTS)]
Description = Annotated[Text, StringConstraints(max_length=500)]
Key = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"),
    # The service rejects capitals, after looking whether the key exists in any case.
    WithJsonSchema({"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,62}$"}),
]
RemovalMode = Literal["deactivate", "hard"]


class NewConversionEvent(Body):
    """A new kind of outcome to record."""

    key: Key = Field(description="A lowercase slug, unique in the project. It cannot change")
    name: Label
    description: Description | None = None
    default_value_cents: Cents | None = Field(
        default=None, description="Value of conversions without `value_cents`. Defaults to 0"
    )
    currency: Currency | None = Field(default=None, description="Cannot change. Defaults to USD")
    metadata: Metadata | None = None


class ConversionEventChanges(Changes):
    """Changes to a conversion event. A new default value applies only to later conversions."""

    name: Label = unsent()
    description: Description | None = unsent()
    default_value_cents: Cents = unsent()
    is_active: Flag = unsent()
    metadata: Metadata = unsent()


class ConversionEventQuery(BaseModel):
    include_inactive: bool = Field(default=False, description="Include inactive events")


class RemovalQuery(BaseModel):
    mode: str | None = Field(
        default=None,
        description="`hard` deletes permanently and requires the scope `admin`. Any other value"
        " keeps history",
    )

    @property
    def is_hard(self) -> bool:
        return self.mode == "hard"


class ConversionEvent(BaseModel):
    """A kind of outcome. `default_value_cents` is for one conversion, in `currency`."""

    id: UUID
    project_id: UUID
    org_id: UUID
    key: str
    name: str
    description: str | None
    default_value_cents: int
    currency: str
    is_active: bool
    metadata: Metadata
    created_at: datetime
    updated_at: datetime


class RemovedEvent(BaseModel):
    """What was done: deactivated or deleted permanently."""

    id: UUID
    mode: RemovalMode
