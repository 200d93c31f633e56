/** A hundred kilobytes of these take the reader longest: nothing but nodes, nothing but mistakes, nothing but lines. */
export const TINY = ['-\n', '- 1\n', '? a\n', '#\n', '- - -\n', '{},', 'a: ,', '{}', '[]', 'a:\n', '- [a]\n', '!a ']
