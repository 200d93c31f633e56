/** Why the server cannot start, as one sentence for a person; no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
