/** Every promised case has a test that carries its number; a case that loses its last test fails here. */
import { test } from 'node:test'
import { readNamedTests } from './cases.ts'
import { mustBeNone } from './must-match.ts'
import { realWorld } from './real-world/table.ts'

/** The promised numbers, by letter; the names of their tests say what each means. Those of R stand with their doors in a table of their own. */
const promised = [
  ...realWorld.filter(({ waitsFor }) => waitsFor === undefined).map(({ id }) => id),
  ...`
  W01 W02 W03 W04 W05 W06 W08 W09 W10 W11 W13 W15 W16 W17 W18 W19 W20 W21 W23 W24 W25 W27 W28 W29 W30 W31 W32 W34 W35
  A01 A02 A03 A04 A06 A07 A08 A09 A11 A12 A13 A14 A15 A17 A18 A19 A20 A21 A22 A23 A25 A26 A27 A28 A29 A31 A32 A33 A34 A35 A36 A37
  A38 A40 A41 A42 A43 A45 A46 A47 A49 A50 A51 A52 A53 A54 A55 A56 A57 A58 A59 A60 A61 A64 A65 A66 A67 A68 A69 A70 A71 A72 A73 A74 A75 A76 A77 A78 A79 A80 A81 A82 A83 A84 A85 A86 A88 A89 A90 A91 A92 A93 A94 A95 A96 A97
  F01 F02 F03 F04 F05 F06 F07 F09 F10 F11 F12 F13 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24 F26 F28 F29 F30 F31 F32 F33 F34 F35 F36 F38
  F39 F40 F41 F42 F44 F45 F47 F48 F49 F51 F52
  P01 P02 P03 P04 P05 P06 P07 P08 P09 P11 P12 P13 P14 P15 P16 P18 P19 P20 P21 P22 P24 P25 P26 P27 P28 P29 P30 P31 P32 P33
  P34 P36 P38 P39 P40 P42 P43 P44 P45
  C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11 C12 C13 C15
  T01 T02 T03 T04 T05 T06 T07 T08 T09 T10 T11 T12 T13 T15
`
    .trim()
    .split(/\s+/),
]

test('every promised case is in the name of a test', () => {
  const named = new Set(readNamedTests().flatMap(({ cases }) => cases))
  mustBeNone(
    promised.filter((id) => !named.has(id)),
    'Write these numbers, as in [W15], into the names of the tests that prove them',
  )
})

test('a test names no case that is not promised', () => {
  const unknown = readNamedTests().flatMap(({ file, cases }) =>
    cases.filter((id) => !promised.includes(id)).map((id) => `${id} in ${file}`),
  )
  mustBeNone(unknown, 'Write these numbers into promised in test/cases.test.ts, or correct the names of the tests')
})
