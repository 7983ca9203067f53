import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Request } from 'express'

const compressors = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
  identity: async (body: Buffer) => body,
}

/** The encodings of a body, the best first. */
export type Encoding = keyof typeof compressors

/**
 * A body that is made at the first request, and kept in every requested encoding. After a failure,
 * the next request tries again.
 */
export interface StaticBody {
  as(encoding: Encoding): Promise<{ readonly body: Buffer; readonly etag: string }>
}

export function staticBody(make: () => string | Buffer): StaticBody {
  let whole: Buffer | null = null
  const encoded = new Map<Encoding, Promise<{ body: Buffer; etag: string }>>()

  async function encode(encoding: Encoding) {
    whole ??= Buffer.from(make())
    const body = await compressors[encoding](whole)
    // The tag is of the sent bytes, so each encoding has its own (RFC 9110 §8.8.3).
    return { body, etag: `"${hashOf(body)}"` }
  }

  return {
    as(encoding) {
      const known = encoded.get(encoding)
      if (known) return known
      const made = encode(encoding)
      encoded.set(encoding, made)
      made.catch(() => encoded.delete(encoding))
      return made
    },
  }
}

/**
 * The smallest encoding that the client accepts: browsers name gzip first and mean no preference. An answer
 * that depends on it needs `Vary`.
 */
export function encodingFor(req: Request): Encoding {
  if (req.headers['accept-encoding'] === undefined) return 'identity'
  if (req.acceptsEncodings('br')) return 'br'
  return req.acceptsEncodings('gzip') ? 'gzip' : 'identity'
}

/** A short hash of the body. */
export function hashOf(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('base64url').slice(0, 16)
}
