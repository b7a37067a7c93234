export interface CanonicalEmbeddingsRequest {
  readonly model: string;
  readonly inputs: readonly string[];
  readonly dimensions?: number;
}

export interface CanonicalEmbeddingsAnswer {
  readonly model: string;
  readonly vectors: readonly (readonly number[])[];
}
