import { expect, it } from 'vitest'
import type { Row } from '../../../proof/bench/support/bench.ts'
import { linesOf } from '../../../proof/bench/support/report.ts'

const row: Row = {
  ...{ bench: 'AB', goal: '≥ 0.85', ours: '900/s', floor: '1,000/s', value: '0.90' },
  ...{ isMet: true, problems: [], measured: null },
}

it('the table: columns are as wide as their widest cell, and problems follow it', () => {
  const missed = { ...row, bench: 'ABC', value: '0.10', isMet: false, problems: ['ours: 3 × 503'] }
  const unjudged = { ...row, bench: 'CD', goal: '–', isMet: null }
  expect(linesOf([row, missed, unjudged])).toEqual([
    'bench  goal    ours   floor    value  verdict',
    'AB     ≥ 0.85  900/s  1,000/s  0.90   met',
    'ABC    ≥ 0.85  900/s  1,000/s  0.10   missed (see below)',
    'CD     –       900/s  1,000/s  0.90   –',
    'ABC: ours: 3 × 503',
  ])
})
