/** The texts of the saved filters. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const savedFilterTexts = defineTexts('saved-filters', {
  en: {
    saved: 'Saved filters',
    none: 'None saved yet',
    save: 'Save this filter',
    remove: 'Delete saved filters',
    name: 'Name of the filter',
    text_one: 'Saves the filter that is set, for you only. A period such as “Last 7 days” moves with the day.',
    text_other: 'Saves the {{count}} filters that are set, for you only. A period such as “Last 7 days” moves with the day.',
    noSearch: 'The text in the search is not saved, because it may name a person.',
    nothingSet: 'Set a filter first: a status, a period or another field under “Filters”. A search alone cannot be saved.',
    replaces: 'Replaces your filter of this name.',
    done: '“{{name}}” is saved.',
    removed: '“{{name}}” is deleted.',
    removeOne: 'Delete “{{name}}”',
  },
  sw: {
    saved: 'Vichujio vilivyohifadhiwa',
    none: 'Hakuna kilichohifadhiwa bado',
    save: 'Hifadhi kichujio hiki',
    remove: 'Futa vichujio vilivyohifadhiwa',
    name: 'Jina la kichujio',
    text_one: 'Kichujio ulichoweka kinahifadhiwa kwa ajili yako tu. Kipindi kama “Siku 7 zilizopita” kinaenda na siku.',
    text_other:
      'Vichujio {{count}} ulivyoweka vinahifadhiwa kwa ajili yako tu. Kipindi kama “Siku 7 zilizopita” kinaenda na siku.',
    noSearch: 'Maneno uliyotafuta hayahifadhiwi, kwa sababu yanaweza kumtaja mtu.',
    nothingSet: 'Weka kichujio kwanza: hali, kipindi au sehemu nyingine chini ya “Vichujio”. Utafutaji peke yake hauhifadhiwi.',
    replaces: 'Kinachukua nafasi ya kichujio chako chenye jina hili.',
    done: '“{{name}}” kimehifadhiwa.',
    removed: '“{{name}}” kimefutwa.',
    removeOne: 'Futa “{{name}}”',
  },
})
