/** The texts of the saved filters. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const savedFilterTexts = defineTexts('saved-filters', [shared], {
  saved: ['Saved filters', 'Vichujio vilivyohifadhiwa'],
  none: ['None saved yet', 'Hakuna kilichohifadhiwa bado'],
  save: ['Save this filter', 'Hifadhi kichujio hiki'],
  remove: ['Delete saved filters', 'Futa vichujio vilivyohifadhiwa'],
  name: ['Name of the filter', 'Jina la kichujio'],
  text_one: [
    'Saves the filter that is set, for you only. A period such as “Last 7 days” moves with the day.',
    'Kichujio ulichoweka kinahifadhiwa kwa ajili yako tu. Kipindi kama “Siku 7 zilizopita” kinaenda na siku.',
  ],
  text_other: [
    'Saves the {{count}} filters that are set, for you only. A period such as “Last 7 days” moves with the day.',
    'Vichujio {{count}} ulivyoweka vinahifadhiwa kwa ajili yako tu. Kipindi kama “Siku 7 zilizopita” kinaenda na siku.',
  ],
  noSearch: [
    'The text in the search is not saved, because it may name a person.',
    'Maneno uliyotafuta hayahifadhiwi, kwa sababu yanaweza kumtaja mtu.',
  ],
  nothingSet: [
    'Set a filter first: a status, a period or another field under “Filters”. A search alone cannot be saved.',
    'Weka kichujio kwanza: hali, kipindi au sehemu nyingine chini ya “Vichujio”. Utafutaji peke yake hauhifadhiwi.',
  ],
  replaces: ['Replaces your filter of this name.', 'Kinachukua nafasi ya kichujio chako chenye jina hili.'],
  done: ['“{{name}}” is saved.', '“{{name}}” kimehifadhiwa.'],
  removed: ['“{{name}}” is deleted.', '“{{name}}” kimefutwa.'],
  removeOne: ['Delete “{{name}}”', 'Futa “{{name}}”'],
})
