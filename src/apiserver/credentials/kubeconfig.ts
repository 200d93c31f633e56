/** A kubeconfig that needs nothing else: the authority and the token are inside. */
export function kubeconfig({
  url,
  ca,
  token,
}: {
  readonly url: string
  readonly ca: string
  readonly token: string
}): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: stellwerk
    cluster:
      server: ${url}
      certificate-authority-data: ${Buffer.from(ca).toString('base64')}
users:
  - name: admin
    user:
      token: ${token}
contexts:
  - name: stellwerk
    context:
      cluster: stellwerk
      user: admin
      namespace: default
current-context: stellwerk
preferences: {}
`
}
