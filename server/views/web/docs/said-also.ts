/** What people call things that our pages call otherwise: words for the search, by the page or section that answers. Never shown. */

/** Keys are the path of a page, with the id of its section if it is one. */
export const saidAlso: Readonly<Record<string, string>> = {
  'concepts/payments#payments-that-your-server-makes':
    'stk push, push ussd, ussd push, stk, pin prompt, charge a customer, collection, c2b',
  'concepts/payments#when-a-payment-expires': 'expiry, timeout, how long pending, expires_at',
  'concepts/idempotency': 'double charge, duplicate payment, timeout',
  'concepts/test-and-live': 'sandbox, staging, test environment, play money, uat',
  'guides/test-numbers': 'sandbox numbers, simulator, test phone, dummy number',
  'guides/webhooks': 'callback, ipn, notification url, callback url',
  'guides/webhooks#create-your-webhook-and-get-its-secret': 'whsec, webhook secret, register webhook, callback url, endpoint',
  'guides/webhooks#when-your-server-was-down': 'retry, retries, webhook retry, missed callback, replay',
  'guides/webhooks#work-on-your-laptop': 'localhost, ngrok, tunnel',
  'guides/webhooks#from-which-addresses-they-come': 'source ip, ip whitelist, allowlist, firewall, ip address',
  'guides/webhooks#go': 'golang',
  'guides/from-order-to-fulfilment#go': 'golang',
  'guides/webhooks#in-your-framework': 'laravel, django, woocommerce, wordpress, nextjs, spring, rails, plugin',
  'guides/refunds': 'chargeback, reversal, return money, cancel a paid order',
  'guides/payouts': 'disbursement, b2c, withdraw, send money, transfer, settlement',
  'guides/payout-batches': 'bulk payment, bulk disbursement, salaries, payroll',
  'guides/payment-requests': 'payment link, invoice, pay link, checkout link',
  'guides/questions#the-customer-has-paid-but-the-payment-is-pending':
    'customer paid but pending, stuck, money deducted, not confirmed, still processing, debited',
  'guides/questions#why-is-money-held': 'held, hold, frozen, blocked, under review, waiting, delay, why can I not withdraw',
  'guides/questions#can-i-try-it-in-postman-or-bruno': 'postman, bruno, insomnia, collection, openapi, swagger, import',
  'guides/questions#can-a-browser-or-an-app-call-the-api':
    'cors, access-control-allow-origin, javascript, frontend, react, android, flutter, preflight',
  'guides/questions#which-languages-are-there': 'golang, java, c#, dotnet, ruby, library, client, sdk',
  'guides/questions#are-amounts-in-cents': 'minor units, cents, senti, decimals, times 100, currency',
}
