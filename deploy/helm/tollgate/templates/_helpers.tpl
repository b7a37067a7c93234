{{- define "tollgate.labels" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "tollgate.secret" -}}
{{ .Values.existingSecret | default (printf "%s-tollgate" .Release.Name) }}
{{- end }}

{{/* Everything that the pods of both roles have in common. */}}
{{- define "tollgate.pod" -}}
# More than the minute that calls in flight may take.
terminationGracePeriodSeconds: 75
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "tollgate.labels" . | nindent 8 }}
{{- end }}

{{- define "tollgate.container" -}}
image: {{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{- toYaml .resources | nindent 2 }}
ports:
  - { name: http, containerPort: {{ .port }} }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
# Slow migrations and recovery of a large ledger count as starting.
startupProbe:
  httpGet: { path: {{ .health }}, port: http }
  periodSeconds: 2
  failureThreshold: 300
readinessProbe:
  httpGet: { path: {{ .health }}, port: http }
  periodSeconds: 2
  timeoutSeconds: 5
{{- end }}

{{/* From the Secret, not by envFrom: a gateway must not know the secret of the control planes. */}}
{{- define "tollgate.settings" -}}
- { name: SVC_ROLE, value: {{ .component }} }
- { name: SVC_PUBLIC_URL, value: {{ .root.Values.publicUrl | quote }} }
- name: SVC_DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ include "tollgate.secret" .root }}, key: SVC_DATABASE_URL } }
- name: SVC_REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ include "tollgate.secret" .root }}, key: SVC_REDIS_URL, optional: true } }
{{- range $name, $value := .root.Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
