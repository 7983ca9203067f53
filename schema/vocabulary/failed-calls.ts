/**
 * How the idempotency key of a refund begins when the call was answered as failed; the id of the request
 * follows. The usage log says that such a call cost nothing.
 */
export const failedCallKeyPrefix = 'failed:'
