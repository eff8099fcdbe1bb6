/** The texts of the quick start. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const quickStartTexts = defineTexts('quick-start', {
  title: ['Quick start', 'Anza haraka'],
  text: [
    'Four commands to your first payment. Each works without changes.',
    'Amri nne kutoka mwanzo hadi malipo. Kila moja inafanya kazi kama ilivyo.',
  ],
  onlyTest: [
    'The quick start is for the test environment, where no money moves.',
    'Kuanza haraka ni kwa mazingira ya majaribio, ambapo hakuna pesa inayohama.',
  ],
  toTest: ['Go to the test environment', 'Nenda kwenye mazingira ya majaribio'],
  key: ['1. Your own key', '1. Ufunguo wako mwenyewe'],
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
  page: ['2. Make a payment page', '2. Tengeneza ukurasa wa malipo'],
  pageText: [
    'The answer has a “slug”: the address that your customer opens.',
    'Jibu lina “slug”: hiyo ndiyo anwani atakayofungua mteja wako.',
  ],
  ownPage: ['2. Your test page', '2. Ukurasa wako wa majaribio'],
  ownPageText: [
    'It exists since your registration, and it takes any amount from TSh 500:',
    'Upo tangu ulipojisajili, na unapokea kiasi chochote kuanzia TSh 500:',
  ],
  pay: ['3. Pay as a customer would', '3. Lipa kama mteja'],
  payOwnText: [
    'In the simulator this number pays automatically, after a second. The slug of your test page is filled in.',
    'Kwenye kiigaji namba hii inalipa yenyewe, baada ya sekunde moja. Slug ya ukurasa wako imeshawekwa.',
  ],
  payText: [
    'In the simulator this number pays automatically, after a second. Replace SLUG with the slug of your page.',
    'Kwenye kiigaji namba hii inalipa yenyewe, baada ya sekunde moja. Weka slug ya ukurasa wako badala ya SLUG.',
  ],
  see: ['4. See it arrive', '4. Ona yakifika'],
  seeText: [
    'The newest line of your wallet. It is also on the home screen of this dashboard.',
    'Mstari mpya zaidi wa pochi yako. Uko pia mwanzo wa dashibodi hii.',
  ],
  next: ['Next steps', 'Baada ya hapa'],
  reference: ['All operations are in the API reference.', 'Shughuli zote ziko kwenye rejea ya API.'],
  openReference: ['Open the reference', 'Fungua rejea'],
})
