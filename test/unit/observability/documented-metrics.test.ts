import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { createMetrics } from '../../../gateway/observability/metrics.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

const metric = z.object({ name: z.string(), type: z.string(), labelNames: z.array(z.string()) })
type Metric = z.infer<typeof metric>

const metrics = new Map<string, Metric>()
for (const one of createMetrics().registry.getMetricsAsArray()) {
  const { name, type, labelNames } = metric.parse(one)
  metrics.set(name, { name, type, labelNames })
}

const readText = (path: string) => readFileSync(join(projectRoot, path), 'utf8')

/** A series that recording rules of slo.yaml make. */
const recordedName = /\bgateway:[\w:]+/g

/** Every series that an expression names, with the labels that it selects by. */
function seriesIn(expression: string): { readonly name: string; readonly labels: string[] }[] {
  const found = expression.matchAll(/\b((?:gateway|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)
  return [...found].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*[=!]~?/g)].map(([, label = '']) => label),
  }))
}

/** The labels that an expression groups by. */
function groupedIn(expression: string): string[] {
  const groups = [...expression.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)]
  return groups.flatMap(([, labels = '']) => labels.split(',').map((label) => label.trim()))
}

function metricOf(series: string): Metric | undefined {
  const isHistogram = (name: string) => metrics.get(name)?.type === 'histogram'
  const base = series.replace(/_(bucket|sum|count)$/, '')
  return isHistogram(base) && base !== series ? metrics.get(base) : plain(series)
}

/** The metric of a series. A histogram itself is none: only its parts are series. */
function plain(series: string): Metric | undefined {
  const found = metrics.get(series)
  return found?.type === 'histogram' ? undefined : found
}

/** The labels that Prometheus itself adds. */
const scraped = ['instance', 'job', 'le']

/** The metrics and labels of an expression that no process has. */
function unknownIn(expression: string): string[] {
  const series = seriesIn(expression)
  const known = series.flatMap(({ name }) => metricOf(name)?.labelNames ?? [])
  return [
    ...series.filter(({ name }) => !metricOf(name)).map(({ name }) => name),
    ...series.flatMap(({ name, labels }) =>
      labels
        .filter((label) => ![...scraped, ...(metricOf(name)?.labelNames ?? [])].includes(label))
        .map((label) => `${name}{${label}}`),
    ),
    ...groupedIn(expression).filter((label) => ![...scraped, ...known].includes(label)),
  ]
}

const recordingFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(z.object({ record: z.string().optional(), expr: z.string() })),
    }),
  ),
})

const sloRules = recordingFile
  .parse(parse(readText('deploy/prometheus/slo.yaml')))
  .groups.flatMap((group) => group.rules)
const recorded = new Set(sloRules.flatMap(({ record }) => record ?? []))

/** The recorded series of an expression that no rule records. */
const unrecordedIn = (expression: string) =>
  (expression.match(recordedName) ?? []).filter((name) => !recorded.has(name))

const alertFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['info', 'warning', 'critical']) }),
          annotations: z.object({ summary: z.string(), action: z.string() }),
        }),
      ),
    }),
  ),
})
const dashboardFile = z.object({
  templating: z.object({ list: z.array(z.object({ definition: z.string().optional() })) }),
  panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
})

describe('the monitoring files of deploy/', () => {
  test('prometheus/alerts.yaml: every rule uses series of /metrics, with their labels', () => {
    const { groups } = alertFile.parse(parse(readText('deploy/prometheus/alerts.yaml')))
    const rules = groups.flatMap((group) => group.rules)

    expect(rules.filter(({ expr }) => seriesIn(expr).length === 0)).toEqual([])
    expect(rules.flatMap(({ expr }) => unknownIn(expr))).toEqual([])
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test('prometheus/slo.yaml: every rule uses such series, or recorded ones', () => {
    const expressions = sloRules.map(({ expr }) => expr)
    const constants = expressions.filter((expr) => expr.startsWith('vector('))

    expect(recorded.size).toBeGreaterThan(0)
    expect(
      expressions.filter(
        (expr) =>
          seriesIn(expr).length === 0 && !expr.match(recordedName) && !constants.includes(expr),
      ),
    ).toEqual([])
    expect(expressions.flatMap(unknownIn)).toEqual([])
    expect(expressions.flatMap(unrecordedIn)).toEqual([])
  })

  test('grafana/dashboard.json: every panel does too, and each metric is on a panel', () => {
    const { panels, templating } = dashboardFile.parse(
      JSON.parse(readText('deploy/grafana/dashboard.json')),
    )
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const definitions = templating.list.flatMap(({ definition }) => definition ?? [])

    expect(
      expressions.filter((expr) => seriesIn(expr).length === 0 && !expr.match(recordedName)),
    ).toEqual([])
    expect(expressions.flatMap(unknownIn)).toEqual([])
    expect(expressions.flatMap(unrecordedIn)).toEqual([])
    expect(definitions.flatMap(unknownIn)).toEqual([])
    const shown = new Set(
      expressions.flatMap((expr) => seriesIn(expr).map(({ name }) => metricOf(name)?.name)),
    )
    const ours = [...metrics.keys()].filter((name) => name.startsWith('gateway_'))
    expect(ours.filter((name) => !shown.has(name))).toEqual([])
  })

  test('an unknown name or label is found', () => {
    expect(unknownIn('sum by (account) (rate(gateway_open_hold{key="a"}[5m]))')).toEqual([
      'gateway_open_hold',
      'gateway_open_hold{key}',
      'account',
    ])
    expect(unknownIn('gateway_http_request_duration_seconds')).toHaveLength(1)
    expect(unrecordedIn('gateway:slo_bad:ratio2m{slo="availability"}')).toEqual([
      'gateway:slo_bad:ratio2m',
    ])
  })
})

describe('docs/operations.md', () => {
  test('lists every metric, with its type and labels, and no other', () => {
    const rows = readText('docs/operations.md').matchAll(
      /^\| `(gateway_\w+)` \| (\w+) \| ([\w, ]*) ?\|/gm,
    )
    const documented = [...rows].map(([, name = '', type = '', labels = '']) => ({
      name,
      type,
      labelNames: labels
        .split(',')
        .map((label) => label.trim())
        .filter(Boolean),
    }))

    const byName = (a: Metric, b: Metric) => (a.name < b.name ? -1 : 1)
    const ours = [...metrics.values()].filter(({ name }) => name.startsWith('gateway_'))
    expect(documented.sort(byName)).toEqual(ours.sort(byName))
  })
})
