import { Composer, LineCounter, Parser, type Document, type ParseOptions, type SchemaOptions } from 'yaml'

/** The first mistake of a text that is no YAML, and where it is. */
export class YamlMistake extends Error {
  override readonly name = 'YamlMistake'
  readonly severalDocuments: boolean

  constructor(message: string, severalDocuments = false) {
    super(message)
    this.severalDocuments = severalDocuments
  }
}

export interface ComposedYaml {
  readonly document: Document.Parsed
  /** Where lines begin. */
  readonly lines: LineCounter
}

/**
 * One YAML document. It ends at the first mistake: the reader itself goes on and collects them all, and a text can consist of
 * nothing else. Without its search for duplicate keys and its illustrated errors, which take the square of the length, and
 * without stack traces, which took four fifths of the time of a text full of mistakes.
 * @throws YamlMistake
 */
export function composeYaml(text: string, options: ParseOptions & SchemaOptions = {}): ComposedYaml {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return compose(text, options)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function compose(text: string, options: ParseOptions & SchemaOptions): ComposedYaml {
  const lines = new LineCounter()
  const composer = new Composer({ ...options, uniqueKeys: false, prettyErrors: false })
  const documents: Document.Parsed[] = []
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    // The composer knows better words for what went wrong, and may have found something before.
    documents.push(...composer.next(token))
    if (documents.length > 1) throw severalDocuments()
    if (token.type === 'error') break
  }
  documents.push(...composer.end(true, text.length))
  const [document, another] = documents
  const [broken] = document?.errors ?? []
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    throw new YamlMistake(`${broken.message} at line ${line}, column ${col}`)
  }
  if (document === undefined || another !== undefined) throw severalDocuments()
  return { document, lines }
}

const severalDocuments = (): YamlMistake => new YamlMistake('there are several documents', true)
