import assert from 'node:assert/strict'
import type { KubectlSession, Outcome } from './kubectl-session.ts'

/** A command line; text is cut at spaces, so arguments that hold one come as a list. */
export type Command = string | readonly string[]

/** Commands in the namespace of a session, and what is expected of them. */
export interface KubectlCommands {
  readonly run: (command: Command, input?: string) => Promise<Outcome>
  readonly succeeds: (command: Command, expected: RegExp, input?: string) => Promise<void>
  readonly fails: (command: Command, expected: RegExp, input?: string) => Promise<void>
}

export function commandsOf(session: () => KubectlSession): KubectlCommands {
  const run: KubectlCommands['run'] = (command, input) => {
    const args = typeof command === 'string' ? command.split(' ') : command
    return session().run([...args, '-n', session().namespace], input)
  }
  const expecting =
    (ok: boolean): KubectlCommands['succeeds'] =>
    async (command, expected, input) => {
      const { code, text } = await run(command, input)
      const line = typeof command === 'string' ? command : command.join(' ')
      assert.equal(code === 0, ok, `${line}: ${text}`)
      assert.match(text, expected, line)
    }
  return { run, succeeds: expecting(true), fails: expecting(false) }
}
