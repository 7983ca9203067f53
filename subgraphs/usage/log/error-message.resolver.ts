import { FieldResolver, Resolver, Root } from 'type-graphql'
import { isErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { adviceOf } from '../../../schema/vocabulary/error-texts/error-advice.ts'
import { UsageErrorGroup } from './usage-errors.type.ts'
import { UsageLogEntry } from './usage-log.type.ts'

const description = 'What went wrong, in a sentence that is made from the code; null without one.'

/** Old entries are told in the words of today, so the log keeps no message. */
function messageOf({ errorCode }: Pick<UsageLogEntry, 'errorCode'>): string | null {
  return isErrorCode(errorCode) ? adviceOf[errorCode].happened : null
}

@Resolver(() => UsageLogEntry)
export class EntryMessageResolver {
  @FieldResolver(() => String, { nullable: true, description })
  errorMessage(@Root() entry: UsageLogEntry): string | null {
    return messageOf(entry)
  }
}

@Resolver(() => UsageErrorGroup)
export class GroupMessageResolver {
  @FieldResolver(() => String, { nullable: true, description })
  errorMessage(@Root() group: UsageErrorGroup): string | null {
    return messageOf(group)
  }
}
