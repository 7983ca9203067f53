import { z } from 'zod'
import { url } from './formats.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** The sampler names of OpenTelemetry. */
export type SamplerName = (typeof samplers)[number]

const protocol = z.literal('http/json', 'must be http/json').optional()

const share = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1')
  .transform(Number)

/**
 * The variables of OpenTelemetry that its SDK does not read (the samplers), or would replace by a default when they
 * are wrong. It reads all others itself.
 */
export const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_TRACES_SAMPLER: z.enum(samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
}
