import { Command, Option } from 'commander'
import type { PushFlags } from './spec-push.ts'

/** The flags of `serve`, unchecked. */
export interface ServeFlags {
  readonly data: string
  readonly listen: string
  readonly http?: string
  readonly store: string
  readonly controllers: boolean
  readonly issuerUrl?: string
  readonly logLevel: string
}

export type UpFlags = Pick<ServeFlags, 'data'> & { readonly port?: string }

/** What the commands do. Handed in, so that nothing is loaded that the chosen one does not need. */
export interface Actions {
  readonly version: string
  serve(flags: ServeFlags): Promise<void>
  up(flags: UpFlags): Promise<void>
}

export function createProgram(actions: Actions): Command {
  const program = new Command('stellwerk')
    .description('The control plane for APIs and events across zones. It speaks the Kubernetes API.')
    .version(actions.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(oneSentence(text)) })
    .addHelpText('after', EXAMPLES)
  addUp(program, actions)
  addServe(program, actions)
  addSpec(program)
  program
    .command('crds')
    .description('print the CustomResourceDefinitions of all kinds as YAML')
    .addHelpText('after', '\nExample:\n  $ stellwerk crds | kubectl apply -f -')
    .action(async () => {
      const { crdsAsYaml } = await import('./crds.ts')
      process.stdout.write(crdsAsYaml())
    })
  return program
}

/** A suggestion comes on a line of its own. */
const oneSentence = (text: string): string => `stellwerk: ${text.replace(/^error: /, '').replaceAll(/\n(?=\()/g, ' ')}`

const EXAMPLES = `
Examples:
  $ stellwerk up                                   start with defaults, data in .stellwerk/
  $ stellwerk serve --data ./data --listen 127.0.0.1:6443
  $ export KUBECONFIG=./data/kubeconfig && kubectl api-resources
  $ stellwerk crds > crds.yaml`

function addSpec(program: Command): void {
  program
    .command('spec')
    .description('describe APIs')
    .command('push')
    .description('register an OpenAPI 2 or 3 document: its base path, version, category and scopes')
    .argument('<file>', 'the document, as JSON or YAML')
    .requiredOption('-n, --namespace <namespace>', 'the namespace of the team: <env>--<group>--<team>')
    .option('--kubeconfig <file>', 'how to reach the server', process.env['KUBECONFIG'] || '.stellwerk/kubeconfig')
    .addHelpText('after', '\nExample:\n  $ stellwerk spec push petstore.yaml --namespace prod--eni--shop')
    .action(async (file: string, flags: PushFlags, command: Command) => {
      const { pushSpec } = await import('./spec-push.ts')
      const { CommandError } = await import('./connection.ts')
      try {
        const { name, change, warnings } = await pushSpec(file, flags)
        for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`)
        process.stdout.write(`apispecification ${flags.namespace}/${name} ${change}\n`)
      } catch (error) {
        if (!(error instanceof CommandError)) throw error
        command.error(`error: ${error.message}`, { exitCode: 1 })
      }
    })
}

function addUp(program: Command, actions: Actions): void {
  program
    .command('up')
    .description('start everything with defaults and show how to go on')
    .option('--data <dir>', 'where to keep everything', '.stellwerk')
    .option('--port <port>', 'port on 127.0.0.1 (default: 6443, or a free one if that is taken)')
    .addHelpText('after', '\nExample:\n  $ stellwerk up --port 7443')
    .action((flags: UpFlags) => actions.up(flags))
}

function addServe(program: Command, actions: Actions): void {
  program
    .command('serve')
    .description('run the control plane: the API server and its controllers')
    .option('--data <dir>', 'directory for the store, the certificates and the kubeconfig')
    .option('--listen <host:port>', 'address of the HTTPS API; port 0 picks a free one')
    .option(
      '--http <host:port>',
      'also serve the API without TLS, on a loopback address; for curl and the like: kubectl sends no token over http',
    )
    .addOption(
      new Option('--store <store>', 'where resources are kept').choices(['sqlite', 'memory']).default('sqlite'),
    )
    .option('--no-controllers', 'serve the API only')
    .option('--issuer-url <url>', 'base of the issuers of zones without an identity provider of their own')
    .addOption(
      new Option('--log-level <level>', 'what is logged')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .addHelpText('after', SERVE_HELP)
    .action((flags: Partial<ServeFlags>, command: Command) => {
      requireOptions(command, ['data', 'listen'])
      return actions.serve(flags as ServeFlags)
    })
}

/** Commander would miss these before it looks at the others: whoever types `--lisen` is to hear of `--lisen`. */
function requireOptions(command: Command, names: readonly string[]): void {
  for (const option of command.options) {
    const name = option.attributeName()
    if (names.includes(name) && command.getOptionValue(name) === undefined)
      command.error(`error: required option '${option.flags}' not specified`)
  }
}

const SERVE_HELP = `
It writes DIR/kubeconfig, DIR/admin.token and DIR/ca.crt, and prints "ready https://HOST:PORT" when it serves.
The log goes to standard error.

Example:
  $ stellwerk serve --data ./data --listen 127.0.0.1:0 --http 127.0.0.1:8080`
