import type { Request, Response } from 'express'

/** Sends the result of an operation; returns false to have it sent as JSON. */
export type Present = (result: unknown, req: Request, res: Response) => boolean | Promise<boolean>
