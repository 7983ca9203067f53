import { ApiError } from '../http/errors.ts'

/** The refusal of every caller whose secret is right, while the account is suspended. */
export function suspendedAccount(contact: string | null): ApiError {
  const whom = contact ?? 'the provider of this API'
  return new ApiError('ACCOUNT_SUSPENDED', `This account is suspended. Contact ${whom}.`, {
    suspension: { contact },
  })
}
