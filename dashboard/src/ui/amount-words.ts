/** Amounts in words, as on a cheque, so that a wrong number of zeros is noticed. Whole shillings. */

const swOnes = ['', 'moja', 'mbili', 'tatu', 'nne', 'tano', 'sita', 'saba', 'nane', 'tisa']
const swTens = ['', 'kumi', 'ishirini', 'thelathini', 'arobaini', 'hamsini', 'sitini', 'sabini', 'themanini', 'tisini']

/** Below a thousand: `mia tano sitini na saba`. */
function swSmall(value: number): string {
  const [hundreds, tens, ones] = [Math.floor(value / 100), Math.floor((value % 100) / 10), value % 10]
  const rest = [swTens[tens]!, swOnes[ones]!].filter(Boolean).join(' na ')
  const isLinked = hundreds > 0 && rest !== '' && !rest.includes(' na ')
  return [hundreds > 0 && `mia ${swOnes[hundreds]}`, isLinked ? `na ${rest}` : rest].filter(Boolean).join(' ')
}

/** With commas between the groups, because `elfu ishirini na tano` alone can mean 25,000 or 20,005. */
function swWords(value: number): string {
  const groups = [
    [1_000_000_000, 'bilioni', 1000],
    [1_000_000, 'milioni', 1000],
    [100_000, 'laki', 10],
    [1000, 'elfu', 100],
  ] as const
  const parts = groups.flatMap(([size, name, most]) => {
    const count = Math.floor(value / size) % most
    return count === 0 ? [] : [`${name} ${swSmall(count)}`]
  })
  const rest = swSmall(value % 1000)
  if (rest === '') return parts.length > 1 ? `${parts.slice(0, -1).join(', ')} na ${parts.at(-1)}` : (parts[0] ?? 'sifuri')
  return parts.length === 0 ? rest : `${parts.join(', ')}, ${rest.includes(' na ') ? '' : 'na '}${rest}`
}

const enOnes = [
  '',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const enTens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']

function enSmall(value: number): string {
  const [hundreds, below] = [Math.floor(value / 100), value % 100]
  const tens = [enTens[Math.floor(below / 10)]!, enOnes[below % 10]!].filter(Boolean).join('-')
  const rest = below < 20 ? enOnes[below]! : tens
  return [hundreds > 0 && `${enOnes[hundreds]} hundred`, rest].filter(Boolean).join(' and ')
}

function enWords(value: number): string {
  const groups = [
    [1_000_000_000, 'billion'],
    [1_000_000, 'million'],
    [1000, 'thousand'],
  ] as const
  const parts = groups.flatMap(([size, name]) => {
    const count = Math.floor(value / size) % 1000
    return count === 0 ? [] : [`${enSmall(count)} ${name}`]
  })
  const rest = value % 1000
  const isLinked = rest > 0 && rest < 100 && parts.length > 0
  return [...parts, isLinked ? `and ${enSmall(rest)}` : enSmall(rest)].filter(Boolean).join(' ') || 'zero'
}

/** `Shilingi elfu ishirini na tano`, `Twenty-five thousand shillings`. Empty from a million million on. */
export function amountInWords(amount: number): { sw: string; en: string } {
  if (amount >= 1e12) return { sw: '', en: '' }
  const english = `${enWords(amount)} shilling${amount === 1 ? '' : 's'}`
  return { sw: `Shilingi ${swWords(amount)}`, en: english.charAt(0).toUpperCase() + english.slice(1) }
}
