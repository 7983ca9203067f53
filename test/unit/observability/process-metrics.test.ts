import { afterEach, describe, expect, test, vi } from 'vitest'
import { createMetrics } from '../../../gateway/observability/metrics.ts'

describe('the metrics of a process', () => {
  afterEach(() => void vi.restoreAllMocks())

  test('are in the metrics of each gateway that it starts', async () => {
    const names = ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds']

    for (const { registry } of [createMetrics(), createMetrics()]) {
      const shown = (await registry.getMetricsAsJSON()).map(({ name }) => name)

      expect(shown).toEqual(expect.arrayContaining(names))
    }
  })

  test('stay when one of its gateways closes', async () => {
    const [closed, other] = [createMetrics(), createMetrics()]

    closed.close()

    expect(await closed.registry.metrics()).toBe('\n')
    expect(await other.registry.metrics()).toContain('process_cpu_seconds_total')
  })

  test('have one timer, however many gateways it starts', () => {
    createMetrics()
    const startTimer = vi.spyOn(globalThis, 'setInterval')

    createMetrics()

    expect(startTimer).not.toHaveBeenCalled()
  })
})
