{# The counters of a reading; of a post's, with the plural that daily marts use; and
   the sources whose views are organic alone.
   Written by `make catalogue`: what it says is declared in warehouse/catalogue. #}

{% macro video_counters() %}
    {{ return({"view": "views", "like": "likes", "comment": "comments", "share": "shares", "save": "saves"}) }}
{% endmacro %}


{% macro account_counters() %}
    {{ return(["follower", "following", "total_likes", "video"]) }}
{% endmacro %}


{% macro organic_views() %}
    {{ return(["instagram.login_media"]) }}
{% endmacro %}
