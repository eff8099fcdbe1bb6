/** The texts of the form of a payment request. */
import { numberNames } from '../../ui/number-names.ts'
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const newPaymentRequestTexts = defineTexts('newPaymentRequest', [shared], {
  new: ['New payment request', 'Ombi jipya la malipo'],
  back: ['Payment requests', 'Maombi ya malipo'],
  title: ['What the customer pays for', 'Mteja analipia nini'],
  titleText: ['The customer reads it, for example “Order 1043”.', 'Mteja anaisoma, kwa mfano “Oda 1043”.'],
  amount: ['Amount to pay', 'Kiasi cha kulipa'],
  reference: numberNames.merchantReference,
  referenceText: ['The customer does not see it. You find the payment by it.', 'Mteja haioni. Utayapata malipo kwa namba hii.'],
  name: ['Name of the customer', 'Jina la mteja'],
  customerText: ['These fields fill the form of the customer.', 'Sehemu hizi zinajaza fomu ya mteja.'],
  phone: ['Mobile money number', 'Namba ya simu ya kulipia'],
  endsAt: ['Until', 'Hadi'],
  make: ['Create the request', 'Tengeneza ombi'],
  made: ['The request is created. Send its link to the customer.', 'Ombi limetengenezwa. Mtumie mteja kiungo chake.'],
  problem: {
    title: [
      'Enter what the customer pays for, in at most 120 characters.',
      'Andika mteja analipia nini, kwa herufi zisizozidi 120.',
    ],
    amount: ['Enter an amount from TSh 500 to TSh 10,000,000.', 'Weka kiasi kati ya TSh 500 na TSh 10,000,000.'],
    customer: {
      phone_number: [
        'This is not a Tanzanian mobile number, such as 0754\u00a0123\u00a0456.',
        'Hii si namba ya simu ya Tanzania, kama 0754\u00a0123\u00a0456.',
      ],
      email: ['This is not an e-mail address.', 'Hii si anwani ya barua pepe.'],
    },
    expires_at: ['Choose a time in the future.', 'Chagua muda ujao.'],
    other: ['This value cannot be used.', 'Thamani hii haiwezi kutumika.'],
  },
})
