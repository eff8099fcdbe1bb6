/**
 * The regions of Tanzania, mainland and Zanzibar: the choices of the form, and what reviewers compare with. The API takes any text, so that
 * integrators may write a region in another way.
 */

export const regions = [
  'Arusha',
  'Dar es Salaam',
  'Dodoma',
  'Geita',
  'Iringa',
  'Kagera',
  'Kaskazini Pemba',
  'Kaskazini Unguja',
  'Katavi',
  'Kigoma',
  'Kilimanjaro',
  'Kusini Pemba',
  'Kusini Unguja',
  'Lindi',
  'Manyara',
  'Mara',
  'Mbeya',
  'Mjini Magharibi',
  'Morogoro',
  'Mtwara',
  'Mwanza',
  'Njombe',
  'Pwani',
  'Rukwa',
  'Ruvuma',
  'Shinyanga',
  'Simiyu',
  'Singida',
  'Songwe',
  'Tabora',
  'Tanga',
] as const

/** Whether a region is written as in the list, apart from case and spaces at its ends. */
export function isRegion(text: string): boolean {
  const typed = text.trim().toLowerCase()
  return regions.some((name) => name.toLowerCase() === typed)
}
