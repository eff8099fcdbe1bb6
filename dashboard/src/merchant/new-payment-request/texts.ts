/** The texts of the form of a payment request. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const newPaymentRequestTexts = defineTexts('newPaymentRequest', {
  en: {
    new: 'New payment request',
    back: 'Payment requests',
    title: 'What the customer pays for',
    titleText: 'The customer reads it, for example “Order 1043”.',
    amount: 'Amount to pay',
    description: 'Description',
    reference: 'Your order number',
    referenceText: 'The customer does not see it. You find the payment by it.',
    name: 'Name of the customer',
    customerText: 'These fields fill the form of the customer.',
    phone: 'Mobile money number',
    email: 'E-mail',
    endsAt: 'Until',
    make: 'Create the request',
    made: 'The request is created. Send its link to the customer.',
    problem: {
      title: 'Enter what the customer pays for, in at most 120 characters.',
      amount: 'Enter an amount from TSh 500 to TSh 10,000,000.',
      customer: {
        phone_number: 'This is not a Tanzanian mobile number, such as 0754 123 456.',
        email: 'This is not an e-mail address.',
      },
      expires_at: 'Choose a time in the future.',
      other: 'This value cannot be used.',
    },
  },
  sw: {
    new: 'Ombi jipya la malipo',
    back: 'Maombi ya malipo',
    title: 'Mteja analipia nini',
    titleText: 'Mteja anaisoma, kwa mfano “Oda 1043”.',
    amount: 'Kiasi cha kulipa',
    description: 'Maelezo',
    reference: 'Namba yako ya oda',
    referenceText: 'Mteja haioni. Utayapata malipo kwa namba hii.',
    name: 'Jina la mteja',
    customerText: 'Sehemu hizi zinajaza fomu ya mteja.',
    phone: 'Namba ya simu ya kulipia',
    email: 'Barua pepe',
    endsAt: 'Hadi',
    make: 'Tengeneza ombi',
    made: 'Ombi limetengenezwa. Mtumie mteja kiungo chake.',
    problem: {
      title: 'Andika mteja analipia nini, kwa herufi zisizozidi 120.',
      amount: 'Weka kiasi kati ya TSh 500 na TSh 10,000,000.',
      customer: {
        phone_number: 'Hii si namba ya simu ya Tanzania, kama 0754 123 456.',
        email: 'Hii si anwani ya barua pepe.',
      },
      expires_at: 'Chagua muda ujao.',
      other: 'Thamani hii haiwezi kutumika.',
    },
  },
})
