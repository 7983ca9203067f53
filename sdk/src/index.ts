export {
  AccountSuspendedError,
  BudgetExceededError,
  ConnectionError,
  type ErrorCode,
  GatewayError,
  isRateLimited,
  OAuthError,
  StepUpRequiredError,
  TimeoutError,
} from './errors.ts'
export { createGateway, type Gateway, type GatewayOptions, type SessionOptions } from './gateway.ts'
export type * from './generated/types.gen.ts'
export type { Answer, CallOptions, Credits, RateLimit } from './operations/operation.ts'
export type { Clock } from './transport.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from './webhooks.ts'
