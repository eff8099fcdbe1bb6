/**
 * Makes the audio clips of the till: every word of a spoken amount, in Swahili and English, with the free synthesiser espeak-ng, and a
 * chime. Writes one MP3 file for each language, and where each word begins and ends in it. The files are in the repository: this runs
 * only when a word is added. It needs `espeak-ng`, `sox` and `lame` (Debian packages of these names).
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { received, spokenAmount, type SpokenLanguage } from '../dashboard/src/merchant/till/spoken-amount.ts'

const folder = join(import.meta.dirname, '../dashboard/src/merchant/till/voice')
const place = await mkdtemp(join(tmpdir(), 'malipo-voice-'))

/** Together they contain every word that an amount can have. */
const samples = [...Array.from({ length: 1000 }, (_, amount) => amount + 1), 100_000, 1_000_000, 1_001_100, 20_005]

const rate = 22_050
/** Between two words of the file, so that a decoder that is late by some milliseconds plays none of the next word. */
const gapSeconds = 0.15
const voices = { sw: ['-v', 'sw', '-s', '175', '-p', '45'], en: ['-v', 'en-gb', '-s', '180', '-p', '45'] } as const

const run = (program: string, args: readonly string[]): string => execFileSync(program, args, { encoding: 'utf8' })
const path = (name: string): string => join(place, name)
const lengthOf = (file: string): number => Number(run('soxi', ['-D', file]))

/** Without the silence at both ends, all words equally loud. */
function speak(word: string, language: SpokenLanguage, file: string): void {
  run('espeak-ng', [...voices[language], '-w', path('raw.wav'), word])
  const trim = ['silence', '1', '0.01', '0.5%', 'fade', '0.005', 'reverse']
  run('sox', [path('raw.wav'), '-r', String(rate), '-c', '1', file, ...trim, ...trim, 'norm', '-3'])
}

function chime(file: string): void {
  const note = (tone: string, delay: string): string[] => {
    const sound = `synth 0.5 sine ${tone} fade h 0.005 0.5 0.45 pad ${delay}`.split(' ')
    return ['-n', '-r', String(rate), '-c', '1', path(`note${tone}.wav`), ...sound]
  }
  run('sox', note('880', '0'))
  run('sox', note('1318.5', '0.12'))
  run('sox', ['-m', path('note880.wav'), path('note1318.5.wav'), file, 'norm', '-3'])
}

type Clip = { name: string; from: number; to: number }

async function writeLanguage(language: SpokenLanguage): Promise<Clip[]> {
  const words = new Set(samples.flatMap((amount) => spokenAmount(amount, language)).filter((word) => word !== ','))
  words.delete(received[language])
  const clips: Clip[] = []
  const parts: string[] = []
  run('sox', ['-n', '-r', String(rate), '-c', '1', path('gap.wav'), 'trim', '0', String(gapSeconds)])
  let at = gapSeconds
  for (const [index, name] of ['chime', received[language], ...[...words].toSorted()].entries()) {
    const file = path(`${language}-${index}.wav`)
    if (name === 'chime') chime(file)
    else speak(name, language, file)
    const length = lengthOf(file)
    clips.push({ name, from: Math.round(at * 1000), to: Math.round((at + length) * 1000) })
    parts.push(file, path('gap.wav'))
    at += length + gapSeconds
  }
  run('sox', [path('gap.wav'), ...parts, path('all.wav')])
  run('lame', ['--quiet', '-m', 'm', '-b', '32', '--resample', '22.05', path('all.wav'), join(folder, `${language}.mp3`)])
  return clips
}

const languages = ['sw', 'en'] as const
const tables: string[] = []
for (const language of languages) {
  const clips = await writeLanguage(language)
  tables.push(`  ${language}: {\n${clips.map(({ name, from, to }) => `    '${name}': [${from}, ${to}],`).join('\n')}\n  },`)
}
await writeFile(
  join(folder, 'clips.ts'),
  `/** Written by \`node scripts/write-voice.ts\`: where each clip begins and ends in the file of its language, in milliseconds. */
export const clips: Record<'sw' | 'en', Record<string, readonly [from: number, to: number]>> = {
${tables.join('\n')}
}
`,
)
await rm(place, { recursive: true })
