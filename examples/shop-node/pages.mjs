/** The goods and the pages of the shop. What a payer reads is in English and in Swahili. */

/** Prices in TZS. A refund below 5,000 is refused. */
export const goods = {
  kitenge: { name: 'Kitenge, 6 yards', price: 25_000 },
  basket: { name: 'Basket from Iringa', price: 12_000 },
  coffee: { name: 'Coffee from Kilimanjaro, 250 g', price: 6_500 },
}

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; color: #1d2420; }
  li { display: flex; gap: .5rem 1rem; justify-content: space-between; align-items: center; padding: .75rem 0; border-bottom: 1px solid #ccd5d0; }
  ul { list-style: none; padding: 0; } [lang=sw] { color: #4f5b55; } code { font-size: .8em; overflow-wrap: anywhere; }
  button, a.button { display: inline-block; white-space: nowrap; font: inherit; padding: .65rem 1.2rem; border: 0; border-radius: .4rem; background: #0b6b4f; color: #fff; text-decoration: none; }`

const escape = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
const money = (amount) => `TSh ${amount.toLocaleString('en')}`

const page = (title, body) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style><main><h1>${escape(title)}</h1>${body}</main></html>`

const buyForm = (
  id,
  item,
  label,
  name = label,
) => `<form method="post" action="/orders"><input type="hidden" name="id" value="${escape(id)}">
<input type="hidden" name="item" value="${escape(item)}"><button aria-label="${escape(name)}">${label}</button></form>`

export function shopPage(newId, last) {
  const items = Object.entries(goods).map(
    ([item, { name, price }]) =>
      `<li><span>${name}<br>${money(price)}</span>${buyForm(newId(), item, 'Buy · Nunua', `Buy · Nunua: ${name}`)}</li>`,
  )
  const back = last ? `<p><a href="/orders/${last.id}">Your last order</a> · <span lang="sw">Oda yako ya mwisho</span></p>` : ''
  return page('Duka la Asha', `<ul>${items.join('')}</ul>${back}`)
}

/** What the customer is told: in English, in Swahili, and what can be done. */
const states = {
  waiting: ['This order is not paid yet.', 'Oda hii bado haijalipwa.', 'Pay · Lipa'],
  pending: ['The payment is in progress. Confirm it on your phone.', 'Malipo yanaendelea. Thibitisha kwenye simu yako.'],
  failed: ['The payment did not succeed.', 'Malipo hayakufanikiwa.', 'Try again · Jaribu tena'],
  expired: ['The time to pay this order is over.', 'Muda wa kulipia oda hii umekwisha.'],
  cancelled: ['This order was cancelled.', 'Oda hii imeghairiwa.'],
  paid: ['Paid, thank you. We are packing your order.', 'Umelipa, asante. Tunafungasha oda yako.'],
  short: ['We received less than the price. The shop will contact you.', 'Tumepokea pungufu ya bei. Duka litawasiliana nawe.'],
  refunding: ['Your money is on its way back to the phone that paid.', 'Pesa yako inarudishwa kwenye simu iliyolipa.'],
  refunded: ['This order was refunded to the phone that paid.', 'Pesa ya oda hii imerudishwa kwenye simu iliyolipa.'],
}

function stateOf({ status, payments, fulfilledAt }) {
  const refunds = payments.flatMap((payment) => payment.refunds)
  if (refunds.some((refund) => refund === 'pending' || refund === 'processing')) return 'refunding'
  const completed = payments.filter((payment) => payment.status === 'completed')
  if (completed.length > 0 && completed.every((payment) => payment.refund_status === 'full')) return 'refunded'
  // Also if the status is older than the payments, or another payment request of the order was paid.
  if (fulfilledAt) return 'paid'
  if (status === 'paid') return 'short'
  // Newest first. An unknown outcome is "pending", never "failed".
  if (payments.some((payment) => payment.status === 'pending' || payment.status === 'processing')) return 'pending'
  if (status !== 'open') return status
  return payments.length > 0 ? 'failed' : 'waiting'
}

/** Shows the next state without a press. */
const reloadUnless = (state) => `<script>setInterval(async () => {
  const text = await (await fetch(location.href)).text()
  if (!text.includes('data-state="${state}"')) location.reload()
}, 5000)</script>`

export function orderPage(order) {
  const state = stateOf(order)
  const [english, swahili, button] = states[state]
  const reason = state === 'failed' && order.payments[0].failure ? `<p>${escape(order.payments[0].failure.message)}</p>` : ''
  const next = !button
    ? ''
    : order.url
      ? `<a class="button" href="${escape(order.url)}">${button}</a>`
      : buyForm(order.id, order.item, button)
  const body = `<p>${goods[order.item].name}, ${money(order.amount)}</p><p role="status" data-state="${state}"><strong>${english}</strong><br><span lang="sw">${swahili}</span></p>
${reason}<p>${next}</p><p>Order <code>${order.id}</code></p><p><a href="/">The shop · <span lang="sw">Duka</span></a></p>`
  const isMoving = ['waiting', 'pending', 'failed', 'refunding'].includes(state)
  return page('Your order · Oda yako', body + (isMoving ? reloadUnless(state) : ''))
}

export function adminPage(orders, packingList) {
  const paymentLine = (order, { reference, status, amount_received, refund_status, refunds }) => {
    const refundForm = `<form method="post" action="/admin/refunds"><input type="hidden" name="order" value="${order.id}">
<input type="hidden" name="payment" value="${reference}"><button>Refund</button></form>`
    const isRefundable = status === 'completed' && refund_status !== 'full'
    const known = refunds.length > 0 ? `, refunds: ${refunds.join(', ')}` : ''
    const received = amount_received ? `, received ${money(amount_received)}` : ''
    return `<div><code>${reference}</code> ${status}${received}${known}${isRefundable ? refundForm : ''}</div>`
  }
  const rows = orders.map((order) => {
    const packed = packingList.filter((id) => id === order.id).length
    return `<li><div>${goods[order.item].name}, ${money(order.amount)}: <a href="/orders/${order.id}">${stateOf(order)}</a>,
on the packing list: ${packed}${order.payments.map((payment) => paymentLine(order, payment)).join('')}</div></li>`
  })
  return page('Orders', rows.length > 0 ? `<ul>${rows.join('')}</ul>` : '<p>No order yet.</p>')
}

/** `order`: what was sent with an order that could not be made. The same button repeats it safely. */
export function errorPage(message, order) {
  const again = order ? buyForm(order.id, order.item, 'Try again · Jaribu tena') : ''
  return page(
    'That did not work',
    `<p>${escape(message)}<br><span lang="sw">Samahani, haikuwezekana.</span></p>${again}<p><a href="/">The shop</a></p>`,
  )
}
