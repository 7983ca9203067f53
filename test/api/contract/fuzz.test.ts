import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { largeAnswers } from '../../../proof/fuzz/amplification/judge.ts'
import { runAmplification } from '../../../proof/fuzz/amplification/run.ts'
import { readFuzzArguments } from '../../../proof/fuzz/arguments.ts'
import { describeFailure } from '../../../proof/fuzz/report.ts'
import { type FuzzReport, runFuzz } from '../../../proof/fuzz/run.ts'
import { fuzzVariables, ledgerCharges } from '../../../proof/fuzz/setting.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { readApiDocument } from '../../support/conformity/api-document.ts'
import { fingerprintDatabase, requestTraces } from '../../support/database/database-dump.ts'
import { rounds } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway(fuzzVariables)
})
afterAll(() => gateway.close())

const cases = rounds('FUZZ_CASES', { all: 120, nightly: 50_000 })

test(`${cases} requests made from the document are answered as it says, and invalid ones change nothing`, async () => {
  const dumps: ReadonlyMap<string, string>[] = []
  const report = await runFuzz(gateway, {
    ...{ cases, seed: 9 },
    async onKind(kind) {
      if (kind === 'invalid') dumps.push(await fingerprintDatabase(gateway.database, requestTraces))
    },
  })

  expect(report.failures.map((failure) => describeFailure(failure, 9))).toEqual([])
  expect(report.cases).toBeGreaterThanOrEqual(cases)
  expect(dumps[1]).toEqual(dumps[0])
  expect(await ledgerCharges(gateway.database, report.accountIds)).toBe(report.credits)
  // Fewer than 5,000 are too few for every operation to succeed once.
  expect(cases < 5000 ? [] : neverAllowed(report)).toEqual([])
  await expectExactBooks(gateway)
})

const amplified = rounds('AMPLIFIED_CASES', { all: 80, nightly: 10_000 })

test(`${amplified} requests that are large somewhere get an answer that is not`, async () => {
  const report = await runAmplification(gateway, {
    ...{ cases: amplified, seed: 9, bytes: 200_000, isTimed: false },
  })

  expect(report.failures).toEqual([])
  expect(report.all).toHaveLength(amplified)
})

test('docs/contract.md §5 names every operation whose answers may have more than 1 MiB', () => {
  const contract = readFileSync(join(projectRoot, 'docs/contract.md'), 'utf8')
  const [, sentence = ''] = /An answer has at most 1 MiB\. (.*?)\. /.exec(contract) ?? []
  const named = [...sentence.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map(([, route]) => route)
  const { operations } = readApiDocument()
  const large = operations.filter(({ id }) => largeAnswers.has(id))

  expect(new Set(named)).toEqual(new Set(large.map(({ method, path }) => `${method} ${path}`)))
  expect([named, large]).toMatchObject([
    { length: largeAnswers.size },
    { length: largeAnswers.size },
  ])
})

test('npm run fuzz reads its options', () => {
  const asked = ['--cases', '9', '--seed=-3', '--only', 'issueApiKey/invalid', '--path', '18:0:1']

  expect(readFuzzArguments(asked)).toEqual({
    ...{ cases: 9, seed: -3, only: 'issueApiKey/invalid', path: '18:0:1' },
  })
  expect(readFuzzArguments(['--only', 'issueApiKey'])).toMatchObject({ cases: 5000 })
  expect(readFuzzArguments(['--amplification', '--only', 'graphql accounts'])).toMatchObject({
    ...{ amplification: true, only: 'graphql accounts' },
  })
})

test.each([
  ['--cases abc', '--cases is an integer from 1 to 10000000, not abc.'],
  ['--cases 0', '--cases is an integer from 1 to 10000000, not 0.'],
  ['--cases 1.5', '--cases is an integer from 1 to 10000000, not 1.5.'],
  ['--seed xyz', '--seed is an integer from -2147483648 to 2147483647, not xyz.'],
  ['--only nope/valid', 'there is no nope/valid.'],
  ['--only issueApiKey/odd', 'there is no issueApiKey/odd.'],
  // A request for readiness has nothing that can be wrong.
  ['--only getReadiness/invalid', 'there is no getReadiness/invalid.'],
  ['--path 1:2', '--only <operation>/<kind> must name it.'],
  ['--only issueApiKey/valid --path 1:x', 'not 1:x.'],
  ['--case 5', "Unknown option '--case'"],
])('npm run fuzz refuses to start with %s', (args, message) => {
  expect(() => readFuzzArguments(args.split(' '))).toThrow(message)
})

/**
 * Operations that succeed only with parameters that fit each other, with a code or signature, with a public
 * address, with a mail server, or with the name of a page: test/api/oauth, webhooks, notifications and docs
 * have tests of them.
 */
const needsMore = new Set([
  'createWebhookEndpoint',
  'openErrorPage',
  'openPage',
  'authorize',
  'consent',
  'receivePaymentNotification',
  'followAuditExportLink',
  'token',
  'getUserinfo',
  'getNotifications',
  'changeNotifications',
  'followConfirmationLink',
  'confirmNotificationEmail',
  'followUnsubscribeLink',
  'removeNotificationEmail',
])

/** Operations of which not one valid request has succeeded: nothing much was tried then. */
function neverAllowed({ answers }: FuzzReport): string[] {
  const valid = [...answers].filter(([property]) => property.endsWith('/valid'))
  const failed = valid.filter(([, counts]) => ![...counts.keys()].some((status) => status < 300))
  return failed
    .map(([property]) => property)
    .filter((name) => !needsMore.has(name.split('/')[0] ?? ''))
}
