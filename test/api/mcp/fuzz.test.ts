import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzVariables } from '../../../proof/fuzz/setting.ts'
import { runToolFuzz } from '../../../proof/fuzz/tools/run.ts'
import { rounds, seed } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(fuzzVariables)
})
afterAll(() => gateway.close())

const cases = rounds('TOOL_CASES', { all: 84, nightly: 10_000 })

test(`POST /mcp: ${cases} calls and messages of any form get a result or an error of the protocol`, async () => {
  expect(await runToolFuzz(gateway, { cases, seed })).toEqual([])
  await expectExactBooks(gateway)
})
