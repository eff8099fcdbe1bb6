"""The calls of an integrator with openapi-python-client."""

import json
import os

from malipo.api.payments import create_payment, get_payment, list_payments
from malipo.client import AuthenticatedClient
from malipo.models import (
    CreatedPaymentAnswer,
    CreatePaymentBody,
    ErrorAnswer,
    MerchantPaymentList,
    MerchantPaymentWithTimelineAnswer,
    Metadata,
)

order = os.environ["ORDER"]
client = AuthenticatedClient(
    base_url=os.environ["BASE_URL"], token=os.environ["API_KEY"], prefix="", auth_header_name="X-API-Key"
)


def create(amount: int) -> CreatedPaymentAnswer | ErrorAnswer | None:
    metadata = Metadata()
    metadata["cart"] = order
    body = CreatePaymentBody(
        amount=amount,
        phone_number="+255754123789",
        description="Order 1001",
        merchant_reference=order,
        metadata=metadata,
    )
    return create_payment.sync(client=client, idempotency_key=order, body=body)


created = create(5000)
assert isinstance(created, CreatedPaymentAnswer), created
reference = created.data.reference
read = get_payment.sync(reference, client=client)
assert isinstance(read, MerchantPaymentWithTimelineAnswer), read
listed = list_payments.sync(client=client, merchant_reference=order, limit=5)
assert isinstance(listed, MerchantPaymentList), listed
refused = create(6000)
assert isinstance(refused, ErrorAnswer), refused
print(
    json.dumps(
        {
            "created": reference,
            "read": read.data.reference,
            "listed": [payment.reference for payment in listed.data],
            "refused": refused.error.code,
        }
    )
)
