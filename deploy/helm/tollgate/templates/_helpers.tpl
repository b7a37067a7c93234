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
# More than preStop and the minute that calls in flight may take.
terminationGracePeriodSeconds: 80
automountServiceAccountToken: false
# A Service whose name begins with `svc-` would become variables that Tollgate refuses as unknown settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "tollgate.labels" . | nindent 8 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The Secret of the chart is part of it, so that changing it replaces the pods. */}}
{{- define "tollgate.annotations" -}}
checksum/secret: {{ include (print .root.Template.BasePath "/secret.yaml") .root | sha256sum }}
{{- with .values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "tollgate.container" -}}
{{- /* Helm reads a tag such as 20261115 as a float and would print 2.0261115e+07. */ -}}
image: {{ .root.Values.image.repository }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion | toJson | trimAll "\"" }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{- toYaml .values.resources | nindent 2 }}
ports:
  - { name: http, containerPort: {{ .port }} }
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
# Migrations, recovery of a large ledger and its first copy count as starting: up to six hours. Ended earlier, they begin again.
startupProbe:
  httpGet: { path: {{ .health }}, port: http }
  periodSeconds: 2
  failureThreshold: 10800
readinessProbe:
  httpGet: { path: {{ .health }}, port: http }
  periodSeconds: 2
  timeoutSeconds: 5
# SIGTERM closes the port at once. Until every node knows that, new connections still arrive.
lifecycle:
  preStop: { exec: { command: [sleep, "5"] } }
{{- end }}

{{/* From the Secret, not by envFrom: a gateway must not know the secret of the control planes. */}}
{{- define "tollgate.settings" -}}
- { name: SVC_ROLE, value: {{ .component }} }
# Not the volume itself, which belongs to root and may have a lost+found: a restore needs an empty directory.
- { name: SVC_DATA_DIR, value: /data/tollgate }
- { name: SVC_PUBLIC_URL, value: {{ .root.Values.publicUrl | quote }} }
- name: SVC_DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ include "tollgate.secret" .root }}, key: SVC_DATABASE_URL } }
- name: SVC_REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ include "tollgate.secret" .root }}, key: SVC_REDIS_URL, optional: true } }
{{- range $name, $value := .root.Values.settings }}
{{- /* Helm reads numbers as floats and would print 3600000 as 3.6e+06. */}}
- { name: {{ $name }}, value: {{ kindIs "float64" $value | ternary (toJson $value) $value | quote }} }
{{- end }}
{{- with .values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}
