/** The most uses of keys that one call of `markKeysUsed` stores. */
export const maxKeyUses = 1000
