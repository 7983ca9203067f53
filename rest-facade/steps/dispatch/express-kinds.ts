import { IncomingMessage, ServerResponse } from 'node:http'
import express, { type Express } from 'express'

/** The classes of the requests and responses of one server. */
export interface ExpressKinds {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
  /** Gives requests and responses to this application, as if it had received them. */
  readonly bind: (app: Express) => void
}

/**
 * Express changes the prototypes of each request and response, and Node is slow with such objects
 * wherever it meets them later. Objects of these classes have the prototypes from their beginning.
 */
export function expressKinds(): ExpressKinds {
  class FacadeRequest extends IncomingMessage {}
  class FacadeResponse extends ServerResponse {}
  Object.setPrototypeOf(FacadeRequest.prototype, express.request)
  Object.setPrototypeOf(FacadeResponse.prototype, express.response)
  return {
    IncomingMessage: FacadeRequest,
    ServerResponse: FacadeResponse as typeof ServerResponse,
    bind(app) {
      const property = { configurable: true, enumerable: true, writable: true, value: app }
      for (const prototype of [FacadeRequest.prototype, FacadeResponse.prototype]) {
        Object.defineProperty(prototype, 'app', property)
      }
      Object.assign(app, { request: FacadeRequest.prototype, response: FacadeResponse.prototype })
    },
  }
}
