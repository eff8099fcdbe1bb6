/** The texts of the quick start. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const quickStartTexts = defineTexts('quick-start', {
  title: ['Quick start', 'Anza haraka'],
  text: [
    'Commands to your first payment. Paste them into one terminal, in this order; they work without changes.',
    'Amri za kufikia malipo yako ya kwanza. Zibandike kwenye terminali moja, kwa mpangilio huu; zinafanya kazi kama zilivyo.',
  ],
  onlyTest: [
    'The quick start is for the test environment, where no money moves.',
    'Kuanza haraka ni kwa mazingira ya majaribio, ambapo hakuna pesa inayohama.',
  ],
  toTest: ['Go to the test environment', 'Nenda kwenye mazingira ya majaribio'],
  keyText: [
    'It is inserted into the commands below. It reaches only your own test wallet.',
    'Unaingia kwenye amri zilizo hapa chini. Unafikia pochi yako ya majaribio tu.',
  ],
  makeKey: ['Make a test key', 'Unda ufunguo wa majaribio'],
  appName: ['Quick start', 'Anza haraka'],
  keyLabel: ['Key', 'Ufunguo'],
  filledIn: [
    'Your key ends in {{last4}}. It is in the commands below until you leave this page.',
    'Ufunguo wako unaishia na {{last4}}. Umo kwenye amri zilizo hapa chini hadi utakapoondoka ukurasa huu.',
  ],
  next: ['Next steps', 'Baada ya hapa'],
  reference: ['All operations are in the API reference.', 'Shughuli zote ziko kwenye rejea ya API.'],
  openReference: ['Open the reference', 'Fungua rejea'],
})
