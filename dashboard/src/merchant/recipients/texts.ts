/** The texts of the saved recipients. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const recipientsTexts = defineTexts('recipients', [shared], {
  title: ['Recipients', 'Wapokeaji'],
  text: ['People and businesses that this wallet pays.', 'Watu na biashara zinazolipwa kutoka pochi hii.'],
  add: ['Add a recipient', 'Ongeza mpokeaji'],
  search: ['Search by name or number', 'Tafuta kwa jina au namba'],
  nameHint: ['As registered with their mobile money account.', 'Kama akaunti yake ya simu ilivyosajiliwa.'],
  phone: ['Mobile money number', 'Namba ya simu ya kupokelea'],
  phoneHint: [
    'M-Pesa, Airtel Money, Mixx by Yas or HaloPesa: 0754 123 456.',
    'M-Pesa, Airtel Money, Mixx by Yas au HaloPesa: 0754 123 456.',
  ],
  lastPaid: ['Last paid', 'Mara ya mwisho'],
  never: ['Not paid yet', 'Bado hajalipwa'],
  as: ['as {{name}}', 'kama {{name}}'],
  times: ['Times paid', 'Mara ngapi'],
  atLeast: ['{{count}} or more', '{{count}} au zaidi'],
  pay: ['Pay out', 'Tuma pesa'],
  change: ['Change', 'Badilisha'],
  actions: ['Change {{name}}', 'Badilisha {{name}}'],
  rename: ['Rename', 'Badilisha jina'],
  renameText: [
    'The number stays {{phone}}. For another number, add a recipient and delete this one.',
    'Namba inabaki {{phone}}. Kwa namba nyingine ongeza mpokeaji, kisha umfute huyu.',
  ],
  delete: ['Delete', 'Futa'],
  deleteText: [
    '{{name}} is no longer in your list. Payouts to the number stay in the books.',
    '{{name}} hatakuwa tena kwenye orodha yako. Pesa zilizotumwa kwenye namba yake zinabaki kwenye vitabu.',
  ],
  added: ['{{name}} is saved.', '{{name}} amehifadhiwa.'],
  renamed: ['The new name is saved.', 'Jina jipya limehifadhiwa.'],
  deleted: ['{{name}} is deleted.', '{{name}} amefutwa.'],
  exists: [
    'You have saved this number already. Rename that recipient instead.',
    'Namba hii umeshaihifadhi. Badilisha jina la mpokeaji huyo.',
  ],
  none: ['No recipients yet', 'Hakuna wapokeaji bado'],
  noneText: [
    'Save the people that you pay again and again: then you choose them instead of typing their numbers.',
    'Hifadhi watu unaowalipa mara kwa mara: kisha unawachagua badala ya kuandika namba zao.',
  ],
  noneFoundText: ['Try a part of the name, or some digits of the number.', 'Jaribu sehemu ya jina, au tarakimu chache za namba.'],
  noneYet: ['No one found so far', 'Bado hakuna aliyepatikana'],
  noneYetText: ['The list is long: this was a part of it.', 'Orodha ni ndefu: hii ni sehemu yake tu.'],
  lookOn: ['Search further', 'Endelea kutafuta'],
})
