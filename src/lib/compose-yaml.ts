import {
  Composer,
  Lexer,
  LineCounter,
  Parser,
  type CST,
  type Document,
  type ParseOptions,
  type SchemaOptions,
} from 'yaml'

/** Why a text is not read: the first mistake and where it is, several documents, or more parts than allowed. */
export class YamlMistake extends Error {
  override readonly name = 'YamlMistake'
  readonly kind: 'mistake' | 'several' | 'long'

  constructor(kind: YamlMistake['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

export interface YamlOptions extends ParseOptions, SchemaOptions {
  /** A text with more words, signs and line ends than this is refused: they are what takes time, not the bytes. */
  readonly mostTokens?: number
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
export function composeYaml(text: string, options: YamlOptions = {}): ComposedYaml {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return compose(text, options)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function compose(text: string, { mostTokens = Infinity, ...options }: YamlOptions): ComposedYaml {
  const lines = new LineCounter()
  const composer = new Composer({ ...options, uniqueKeys: false, prettyErrors: false })
  const documents: Document.Parsed[] = []
  for (const token of tokensOf(text, lines, mostTokens)) {
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
    throw new YamlMistake('mistake', `${broken.message} at line ${line}, column ${col}`)
  }
  if (document === undefined || another !== undefined) throw severalDocuments()
  return { document, lines }
}

function* tokensOf(text: string, lines: LineCounter, most: number): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > most) throw new YamlMistake('long', `more than ${most} words and signs`)
    yield* parser.next(lexeme)
  }
  yield* parser.end()
}

const severalDocuments = (): YamlMistake => new YamlMistake('several', 'there are several documents')
