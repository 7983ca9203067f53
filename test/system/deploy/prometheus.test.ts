import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { startTestGateway } from '../../support/gateway/gateway.ts'

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (!hasPromtool) process.stdout.write('skipped: promtool is not on PATH (package prometheus)\n')

const folder = join(projectRoot, 'deploy/prometheus')
const files = readdirSync(folder)
const unitTests = files.filter((name) => name.endsWith('.test.yaml'))
const ruleFiles = files.filter((name) => name.endsWith('.yaml') && !unitTests.includes(name))

function promtool(args: readonly string[], input = '') {
  const options = { cwd: folder, encoding: 'utf8', input } as const
  const { status, stdout, stderr } = spawnSync('promtool', args, options)
  return { status, output: stdout + stderr }
}

describe.runIf(hasPromtool)('the rules of deploy/prometheus', () => {
  test.each(ruleFiles)('%s is right to Prometheus', (name) => {
    const { status, output } = promtool(['check', 'rules', name])

    expect(output).toContain('SUCCESS')
    expect(status).toBe(0)
  })

  test.each(unitTests)('do what %s says', (name) => {
    const { status, output } = promtool(['test', 'rules', name])

    expect(output).toContain('SUCCESS')
    expect(status).toBe(0)
  })
})

describe.runIf(hasPromtool)('GET /metrics', () => {
  test('answers metrics that Prometheus has nothing against', async ({ onTestFinished }) => {
    const gateway = await startTestGateway()
    onTestFinished(() => gateway.close())
    const { sandboxKey } = await gateway.createAccount()
    const called = await gateway.sandbox.get('/v1/markets/segments?industry=retail', sandboxKey)
    const answer = await fetch(`${gateway.internal.url}/metrics`)

    const metrics = await answer.text()

    expect([called.status, answer.status]).toEqual([200, 200])
    expect(metrics).toContain('gateway_http_requests_total{')
    expect(promtool(['check', 'metrics'], metrics)).toEqual({ status: 0, output: '' })
  })
})

const rules = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string().optional() })) })),
})
const suites = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), exp_alerts: z.array(z.object({})) }),
      ),
    }),
  ),
})

describe('the unit tests of deploy/prometheus', () => {
  test('let every alert of slo.yaml fire, and be silent', () => {
    const read = (name: string) => parse(readFileSync(join(folder, name), 'utf8'))
    const { groups } = rules.parse(read('slo.yaml'))
    const alerts = groups.flatMap((group) => group.rules).flatMap(({ alert }) => alert ?? [])
    const cases = unitTests.flatMap((name) =>
      suites.parse(read(name)).tests.flatMap((suite) => suite.alert_rule_test),
    )
    const namesOf = (fires: boolean) =>
      new Set(
        cases
          .filter(({ exp_alerts: expected }) => expected.length > 0 === fires)
          .map(({ alertname }) => alertname),
      )

    expect(alerts.length).toBeGreaterThan(0)
    expect(alerts.filter((alert) => !namesOf(true).has(alert))).toEqual([])
    expect(alerts.filter((alert) => !namesOf(false).has(alert))).toEqual([])
  })
})
