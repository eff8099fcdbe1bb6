/** The words of the states of payments and refunds, apart from those of all screens: the sign-in shows none. */
import { defineTexts } from '../i18n/define-texts.ts'
import { paymentStatusWords } from './status-words.ts'

export const ofPayments = defineTexts('ofPayments', { status: paymentStatusWords })
