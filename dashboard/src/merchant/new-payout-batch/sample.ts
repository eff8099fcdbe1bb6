/** A file to start from. Its mark at the start lets spreadsheet programs read it as UTF-8. */
import type { Language } from '../../i18n/language.ts'
import type { SavedFile } from '../../ui/download-button.tsx'

const heads: Record<Language, string> = {
  en: 'amount,phone_number,recipient_name,narration,reference',
  sw: 'kiasi,simu,jina,maelezo,kumbukumbu',
}

const lines = ['150000,0754 123 456,Asha Mushi,Mshahara Machi,M-01', '"85,000",+255784123456,Juma Hamisi,Mshahara Machi,M-02']

export function sampleText(language: Language): string {
  return [heads[language], ...lines].join('\n')
}

export function sampleFile(language: Language): SavedFile {
  return { file: new Blob(['\ufeff', sampleText(language), '\n'], { type: 'text/csv' }), name: 'malipo-mfano.csv' }
}
