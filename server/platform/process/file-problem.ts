/** Says in a sentence, for the operator of a command, why a file or folder was not read or written. */

const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be used',
  EPERM: 'may not be used',
  EEXIST: 'exists already',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a full disk',
  EDQUOT: 'is on a full disk',
  ENOTDIR: 'is not a folder',
  EISDIR: 'is a folder',
}

/** The sentence; undefined if the error is none of a file that an operator can correct. */
export function fileProblem(error: unknown): string | undefined {
  // A socket of the database has an address instead of a path.
  const { code = '', path } = error as NodeJS.ErrnoException
  const sentence = sentences[code]
  if (path === undefined || sentence === undefined) return undefined
  const user = code === 'EACCES' || code === 'EPERM' ? ` by the user with the id ${process.getuid?.()}` : ''
  return `${path} ${sentence}${user}.`
}
