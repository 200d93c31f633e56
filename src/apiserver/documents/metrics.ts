import type { Metrics } from '#apiserver/metrics.ts'
import { sendText } from '#apiserver/respond.ts'
import type { Document } from './document.ts'

export const metricsDocument = (metrics: Metrics): Document => ({
  methods: ['GET'],
  serve: async ({ response }) => {
    const { text, type } = await metrics.expose()
    sendText(response, 200, text, type)
  },
})
