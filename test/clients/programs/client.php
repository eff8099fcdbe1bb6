<?php
/** The calls of an integrator with openapi-generator for PHP. */

declare(strict_types=1);

require __DIR__ . '/vendor/autoload.php';

use OpenAPI\Client\Api\PaymentsApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\CreatedPaymentAnswer;
use OpenAPI\Client\Model\CreatePaymentBody;
use OpenAPI\Client\Model\ErrorAnswer;

$order = getenv('ORDER');
$configuration = (new Configuration())->setHost(getenv('BASE_URL'))->setApiKey('X-API-Key', getenv('API_KEY'));
$payments = new PaymentsApi(new GuzzleHttp\Client(), $configuration);

function create(PaymentsApi $payments, string $order, int $amount): CreatedPaymentAnswer
{
    $body = new CreatePaymentBody([
        'amount' => $amount,
        'phone_number' => '+255754123789',
        'description' => 'Order 1001',
        'merchant_reference' => $order,
        'metadata' => ['cart' => $order],
    ]);
    return $payments->createPayment($order, $body);
}

$reference = create($payments, $order, 5000)->getData()->getReference();
$read = $payments->getPayment($reference)->getData()->getReference();
$listed = array_map(fn ($payment) => $payment->getReference(), $payments->listPayments(limit: 5, merchant_reference: $order)->getData());
try {
    create($payments, $order, 6000);
    exit(1);
} catch (ApiException $refusal) {
    $answer = $refusal->getResponseObject();
    assert($answer instanceof ErrorAnswer);
    $refused = $answer->getError()->getCode();
}
echo json_encode(['created' => $reference, 'read' => $read, 'listed' => $listed, 'refused' => $refused]);
